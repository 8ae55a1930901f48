import type { DeliveryFailureCode } from "@paraphe/contracts";
import { errorCode } from "../error-code.ts";
import { isOwnMachine } from "../addresses.ts";
import type { DeliveryOutcome } from "../mail/mail-transport.ts";
import { createMailboxSms, type MailboxDeps } from "../mailbox/mailbox-transports.ts";
import type { Settings } from "../settings/settings.ts";
import type { SmsTransport } from "./sms-transport.ts";

const TIMEOUT_MS = 10_000;
const MAXIMUM_ANSWER = 200;
/** Of an answer no more is read than what is kept: a gateway's error page may be long. */
const MAXIMUM_READ_BYTES = 4_096;
/** The gateway says no to us, or not now: the text waits. Any other 4xx is about the text or its number, and final. */
const TRY_AGAIN = new Set([401, 402, 403, 404, 405, 408, 425, 429]);

/** As long as a token, whatever surrounds it: a link that the gateway cut or escaped in its own way. Before the answer is cut, which would leave half of one. */
const TOKEN_LIKE = /[A-Za-z0-9_-]{20,}/g;

/** The gateway was not reached: its name is unknown, or nobody listens. Anything else may have been heard. */
const NOT_REACHED = /\b(ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|UND_ERR_CONNECT_TIMEOUT)$/;

type GatewayOptions = {
  readonly url: string;
  readonly token: string | null;
  readonly timeoutMs?: number;
};
type Text = { readonly to: string; readonly text: string };

/** Gives a transport that posts `{to, text}` to an SMS gateway with a bearer token; any 2xx is accepted. */
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
          // A redirect would carry the number and the code to an address nobody chose.
          redirect: "error",
          signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
        });
        const serverAnswer = withoutSecrets(await wordsOf(answer), message, options);
        // A gateway that fails (5xx) may have passed the text on before it did.
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

/** The status and the first words of the body; a body that breaks off leaves the status, which has decided already. */
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

/** A gateway may repeat what it was sent. The answer is kept and shown to the sender: no token, code or link stays in it. */
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

/** Tells whether a text can reach anybody: through the gateway, or in the local mailbox of one's own machine. Without it nobody is offered a text. */
export function isSmsOffered(settings: Omit<SmsSettings, "smsCountries">): boolean {
  return settings.sms !== null || isOwnMachine(settings);
}

/** Tells whether a number (E.164) is of a country that this service writes to. */
export function isServedCountry(
  { smsCountries }: Pick<Settings, "smsCountries">,
  number: string,
): boolean {
  return smsCountries.some((code) => number.startsWith(`+${code}`));
}

/** Gives the number that a text to somebody goes to; null when none can reach them. */
export function textableNumber(settings: SmsSettings, number: string | null): string | null {
  return number !== null && isSmsOffered(settings) && isServedCountry(settings, number)
    ? number
    : null;
}

/** Says why no text goes to somebody who is not reached by one. */
export function noTextBecause(settings: SmsSettings, number: string | null): string {
  return number !== null && isSmsOffered(settings)
    ? "Ce service n’envoie pas de SMS vers ce pays."
    : "Aucun numéro de téléphone n’est connu pour cet envoi.";
}

/** Gives the SMS transport that the settings ask for: the gateway, or the local mailbox; or one that sends nothing, and keeps nothing in clear. */
export function createSmsTransport(settings: SmsSettings, deps: MailboxDeps): SmsTransport {
  if (!isSmsOffered(settings)) return { deliver: async () => NOT_OFFERED };
  const transport = settings.sms === null ? createMailboxSms(deps) : createSmsGateway(settings.sms);
  return {
    // A number may be older than the list.
    deliver: async (message) =>
      isServedCountry(settings, message.to) ? transport.deliver(message) : NOT_OFFERED,
  };
}
