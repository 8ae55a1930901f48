import { type DeliveryFailureCode, isServedNumber } from "@paraphe/contracts";
import { errorCode } from "../error-code.ts";
import { isOwnMachine } from "../addresses.ts";
import type { DeliveryOutcome, SmsTransport } from "../message-transports.ts";
import { createMailboxSms, type MailboxDeps } from "../mailbox/mailbox-transports.ts";
import type { Settings } from "../settings/settings.ts";

const TIMEOUT_MS = 10_000;
const MAXIMUM_ANSWER = 200;
const MAXIMUM_READ_BYTES = 4_096;
/** The fault is ours, or of the moment: the text waits. Other 4xx are final. */
const TRY_AGAIN = new Set([401, 402, 403, 404, 405, 408, 425, 429]);

/** Finds links that the gateway cut or escaped; replaced before the answer is cut. */
const TOKEN_LIKE = /[A-Za-z0-9_-]{20,}/g;

const NOT_REACHED = /\b(ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|UND_ERR_CONNECT_TIMEOUT)$/;

type GatewayOptions = {
  readonly url: string;
  readonly token: string | null;
  readonly timeoutMs?: number;
};
type Text = { readonly to: string; readonly text: string };

/** Posts `{to, text}` with a bearer token; any 2xx is accepted. */
export function createSmsGateway(options: GatewayOptions): SmsTransport {
  return {
    async deliver(message) {
      try {
        const answer = await fetch(options.url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(options.token === null ? {} : { authorization: `Bearer ${options.token}` }),
          },
          body: JSON.stringify({ to: message.to, text: message.text }),
          // A redirect would take number and code elsewhere.
          redirect: "error",
          signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
        });
        const serverAnswer = withoutSecrets(await wordsOf(answer), message, options);
        // A gateway may answer 5xx after sending the text.
        const mayHaveLeft = answer.status >= 500;
        return {
          state: stateOf(answer.status),
          serverAnswer,
          cause: `${new URL(options.url).host} ${answer.status}`,
          mayHaveLeft,
        };
      } catch (error) {
        const cause = [new URL(options.url).host, errorCode(error)].filter(Boolean).join(" ");
        return {
          state: "deferred",
          serverAnswer: "La passerelle SMS ne répond pas.",
          cause,
          mayHaveLeft: !NOT_REACHED.test(cause),
        };
      }
    },
  };
}

function stateOf(status: number): DeliveryOutcome["state"] {
  if (status >= 200 && status < 300) return "accepted";
  return status >= 500 || status < 400 || TRY_AGAIN.has(status) ? "deferred" : "refused";
}

async function wordsOf(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = answer.body?.getReader();
  try {
    while (reader !== undefined && size < MAXIMUM_READ_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.length;
    }
    await reader?.cancel();
  } catch {
    return String(answer.status);
  }
  const body = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAXIMUM_READ_BYTES));
  return `${answer.status} ${body.replace(/[\u0000-\u001f\u007f]+/g, " ").trim()}`.trim();
}

/** A gateway may repeat its input, and its answer is shown: no token, code or link. */
function withoutSecrets(answer: string, message: Text, options: GatewayOptions): string {
  const secrets = [
    ...(message.text.match(/https?:\S+|\d{6}/g) ?? []),
    ...(options.token === null ? [] : [options.token]),
  ];
  return secrets
    .reduce(
      (words, secret) =>
        words.replaceAll(secret, "…").replaceAll(secret.replaceAll("/", "\\/"), "…"),
      answer,
    )
    .replace(TOKEN_LIKE, "…")
    .slice(0, MAXIMUM_ANSWER);
}

const NOT_OFFERED = {
  state: "refused",
  serverAnswer: "not_offered" satisfies DeliveryFailureCode,
} as const;

type SmsSettings = Pick<Settings, "sms" | "smsCountries" | "production" | "publicUrl">;

/** Needs a gateway, or a developer's machine. */
export function isSmsOffered(settings: Omit<SmsSettings, "smsCountries">): boolean {
  return settings.sms !== null || isOwnMachine(settings);
}

export function textableNumber(settings: SmsSettings, number: string | null): string | null {
  return number !== null && isSmsOffered(settings) && isServedNumber(number, settings.smsCountries)
    ? number
    : null;
}

export function noTextBecause(settings: SmsSettings, number: string | null): string {
  return number !== null && isSmsOffered(settings)
    ? "Ce service n’envoie pas de SMS vers ce pays."
    : "Aucun numéro de téléphone n’est connu pour cet envoi.";
}

/** Where off, nothing is sent or stored. */
export function createSmsTransport(settings: SmsSettings, deps: MailboxDeps): SmsTransport {
  if (!isSmsOffered(settings)) return { deliver: async () => NOT_OFFERED };
  const transport = settings.sms === null ? createMailboxSms(deps) : createSmsGateway(settings.sms);
  return {
    // The stored number may be older than the setting.
    deliver: async (message) =>
      isServedNumber(message.to, settings.smsCountries) ? transport.deliver(message) : NOT_OFFERED,
  };
}
