import {
  type DeliveryFailureCode,
  failure,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import { Readable } from "node:stream";
import { createTransport } from "nodemailer";
import { errorCode } from "../error-code.ts";
import { isLoopbackHost } from "../addresses.ts";
import { createMailboxMail, type MailboxDeps } from "../mailbox/mailbox-transports.ts";
import type { Settings } from "../settings/settings.ts";
import type { DeliveryOutcome, MailTransport } from "../message-transports.ts";
import { buildMessage } from "./build-message.ts";

/** `tls: "required"`: nothing goes to a server without STARTTLS (RFC 3207). */
type SmtpOptions = {
  readonly url: string;
  readonly from: string;
  readonly tls: "required" | "optional";
};

/** nodemailer's additions: the server's code and answer, and the command before it. */
type SmtpError = Error & {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly syscall?: string;
  readonly timeoutType?: string;
};

const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;
const MAXIMUM_ANSWER = 500;
const NO_ANSWER = "Le serveur de messagerie ne répond pas.";
const NO_TLS = "Le serveur de messagerie n’offre pas de connexion chiffrée (TLS).";
const UNUSABLE = "Cette adresse ne peut recevoir aucun message.";

/**
 * SMTP (RFC 5321) over pooled connections. `url`: `smtp://…` (STARTTLS when offered) or
 * `smtps://…`.
 */
export function createSmtpTransport(options: SmtpOptions): MailTransport {
  const transport = createTransport({
    url: options.url,
    requireTLS: options.tls === "required",
    pool: true,
    maxConnections: 8,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // A name in a message must never load a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // A message is sent again from its beginning when its connection turns out to be closed.
  transport.use("stream", ({ data, message }, done) => {
    const pieces = data.raw as unknown as readonly Buffer[];
    message.createReadStream = () => Readable.from(pieces, { objectMode: false });
    done();
  });
  return {
    async deliver(message) {
      try {
        const sent = await transport.sendMail({
          envelope: {
            from: { name: "", address: options.from },
            to: { name: "", address: message.to.address },
          },
          raw: buildMessage(message, options.from) as never,
        });
        return { state: "accepted", serverAnswer: oneLine(sent.response) };
      } catch (error) {
        return outcomeOf(error as SmtpError, new URL(options.url).host);
      }
    },
    async close() {
      transport.close();
    },
  };
}

/**
 * A 5xx about this message or its receiver is final (RFC 5321 §4.2.1). A 5xx about us (greeting,
 * login, 530), a 4xx, a silence or a cut line is an outage: the message waits.
 */
function outcomeOf(error: SmtpError, server: string): DeliveryOutcome {
  const cause = causeOf(error, server);
  if (error.code === "ETLS")
    return { state: "deferred", serverAnswer: NO_TLS, cause, mayHaveLeft: false };
  const said = {
    serverAnswer: error.response === undefined ? NO_ANSWER : oneLine(error.response),
    cause,
  };
  const aboutUs =
    error.code === "EAUTH" ||
    error.command === "CONN" ||
    [530, 534, 535, 538].includes(error.responseCode ?? 0);
  if (!aboutUs && (error.responseCode ?? 0) >= 500) return { state: "refused", ...said };
  const unusable =
    error.command === "API" && (error.code === "EENVELOPE" || error.code === "EMESSAGE");
  return unusable
    ? { state: "refused", ...said, serverAnswer: UNUSABLE }
    : { state: "deferred", ...said, mayHaveLeft: !wasNeverTaken(error) };
}

/**
 * True when the server was not reached or refused. A line cut after the data leaves it open (RFC
 * 5321 §4.5.3.2.6).
 */
function wasNeverTaken({ code, command, responseCode, syscall, timeoutType }: SmtpError): boolean {
  if ((responseCode ?? 0) >= 400 || code === "EAUTH" || code === "EDNS" || command === "API")
    return true;
  return (
    /^(connect|getaddrinfo|query)/.test(syscall ?? "") ||
    (timeoutType !== undefined && timeoutType !== "SOCKET_TIMEOUT")
  );
}

function causeOf(error: SmtpError, server: string): string {
  const status = /^([245]\d\d)(?:[ -]([245]\.\d{1,3}\.\d{1,3})\b)?/.exec(error.response ?? "");
  const facts = [
    server,
    errorCode(error),
    status?.[1] ?? error.responseCode,
    status?.[2],
    error.command && `(${error.command})`,
  ];
  return facts.filter(Boolean).join(" ");
}

function oneLine(answer: string): string {
  return answer
    .replace(/[\u0000-\u001f\u007f]+/g, " ")
    .trim()
    .slice(0, MAXIMUM_ANSWER);
}

type MailSettings = Pick<Settings, "smtpUrl" | "smtpTls" | "mailDisabled" | "mailFrom">;

const NO_MAIL: MailTransport = {
  deliver: async () => ({
    state: "refused",
    serverAnswer: "mail_off" satisfies DeliveryFailureCode,
    cause: "MAIL=none",
  }),
  close: async () => {},
};

/** For calls that only send a mail. Errors: `mail_off`. */
export function checkMail({ mailDisabled }: Pick<Settings, "mailDisabled">): Result<null> {
  return mailDisabled ? failure(problem("mail_off")) : success(null);
}

export function createMailTransport(settings: MailSettings, deps: MailboxDeps): MailTransport {
  if (settings.mailDisabled) return NO_MAIL;
  if (settings.smtpUrl === null) return createMailboxMail(deps, settings.mailFrom);
  const isHere = isLoopbackHost(new URL(settings.smtpUrl).hostname);
  return createSmtpTransport({
    url: settings.smtpUrl,
    from: settings.mailFrom,
    tls: isHere ? "optional" : settings.smtpTls,
  });
}
