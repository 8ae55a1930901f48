import {
  type DeliveryFailureCode,
  failure,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import { createTransport, type SendMailOptions } from "nodemailer";
import { errorCode } from "../error-code.ts";
import { isLoopbackHost } from "../addresses.ts";
import { createMailboxMail, type MailboxDeps } from "../mailbox/mailbox-transports.ts";
import type { Settings } from "../settings/settings.ts";
import type { DeliveryOutcome, MailMessage, MailTransport } from "./mail-transport.ts";

/** `tls: "required"`: neither a password nor a message goes to a server that offers no STARTTLS (RFC 3207). */
type SmtpOptions = {
  readonly url: string;
  readonly from: string;
  readonly tls: "required" | "optional";
};

/** What nodemailer adds to an error of the conversation: the server's code and words, and the command they answered. */
type SmtpError = Error & {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  /** The system's call that failed. */
  readonly syscall?: string;
  readonly timeoutType?: string;
};

/** The conversation's limits: a server that hangs is a server that is away. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;
const MAXIMUM_ANSWER = 500;
/** Kept for the sender in a server's stead: a library's English says nothing to them. */
const NO_ANSWER = "Le serveur de messagerie ne répond pas.";
const NO_TLS = "Le serveur de messagerie n’offre pas de connexion chiffrée (TLS).";
const UNUSABLE = "Cette adresse ne peut recevoir aucun message.";

/** Gives a transport that talks SMTP (RFC 5321) over a few kept connections. `url`: `smtp://…` (STARTTLS when offered) or `smtps://…`. */
export function createSmtpTransport(options: SmtpOptions): MailTransport {
  const transport = createTransport({
    url: options.url,
    requireTLS: options.tls === "required",
    pool: true,
    // As many as messages leave at once by mail: an awaited one waits for none that is read when there is time.
    maxConnections: 8,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // A message is made of what it carries: never of a file or an address named in it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async deliver(message) {
      try {
        const sent = await transport.sendMail(composed(message, options.from));
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

function composed(message: MailMessage, from: string): SendMailOptions {
  return {
    messageId: message.messageId,
    from: { name: literal(message.fromName), address: from },
    to: { name: literal(message.to.name), address: message.to.address },
    ...(message.replyTo === null ? {} : { replyTo: message.replyTo }),
    subject: literal(message.subject),
    text: message.text,
    html: message.html,
    // RFC 3834 §5: answering machines stay quiet.
    headers: { "Auto-Submitted": "auto-generated" },
    attachments: message.attachments.map((file) => ({
      filename: literal(file.name),
      contentType: file.contentType,
      content: Buffer.from(file.bytes),
    })),
  };
}

/**
 * Gives a text of which no part reads as an encoded word (RFC 2047 §2): a name could otherwise say one thing to us and another to its reader.
 * The invisible joiner (U+2060) also makes the whole travel encoded.
 */
function literal(text: string): string {
  return text.replaceAll("=?", "=\u2060?");
}

/**
 * A 5xx about this message or its receiver is final (RFC 5321 §4.2.1). One about ourselves (greeting, login, 530) is an outage that the
 * operator repairs, so the message waits; so it does for a 4xx, a silence or a cut line.
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
 * Tells whether the server cannot have the message: it was not reached, or said no. A line cut, or silent, after the data leaves the question open
 * (RFC 5321 §4.5.3.2.6).
 */
function wasNeverTaken({ code, command, responseCode, syscall, timeoutType }: SmtpError): boolean {
  if ((responseCode ?? 0) >= 400 || code === "EAUTH" || code === "EDNS" || command === "API")
    return true;
  return (
    /^(connect|getaddrinfo|query)/.test(syscall ?? "") ||
    (timeoutType !== undefined && timeoutType !== "SOCKET_TIMEOUT")
  );
}

/** What the operator needs to find the fault: the server, the system's code or the status, and the command that met it. */
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

/** Refuses every message: who sends sees that none has left. */
const NO_MAIL: MailTransport = {
  deliver: async () => ({
    state: "refused",
    serverAnswer: "mail_off" satisfies DeliveryFailureCode,
    cause: "MAIL=none",
  }),
  close: async () => {},
};

/** Lets a call go on that does nothing but send a mail. Errors: `mail_off`. */
export function checkMail({ mailDisabled }: Pick<Settings, "mailDisabled">): Result<null> {
  return mailDisabled ? failure(problem("mail_off")) : success(null);
}

/** Gives the mail transport that the settings ask for: SMTP, the local mailbox, or none. */
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
