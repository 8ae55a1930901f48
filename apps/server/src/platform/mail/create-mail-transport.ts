import { Readable } from "node:stream";
import {
  type DeliveryFailureCode,
  failure,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import { createTransport } from "nodemailer";
import MimeNode from "nodemailer/lib/mime-node";
import { encode, wrap } from "nodemailer/lib/qp";
import { errorCode } from "../error-code.ts";
import { isLoopbackHost } from "../addresses.ts";
import { createMailboxMail, type MailboxDeps } from "../mailbox/mailbox-transports.ts";
import type { Settings } from "../settings/settings.ts";
import type {
  DeliveryOutcome,
  MailTransport,
  MailMessage,
  MailPicture,
} from "../message-transports.ts";

/** `required`: sends nothing without STARTTLS (RFC 3207). */
type SmtpOptions = {
  readonly url: string;
  readonly from: string;
  readonly tls: "required" | "optional";
};

/** nodemailer adds the server's code and answer, and the command. */
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
/** The sender reads this instead of a library's English. */
const NO_ANSWER = "Le serveur de messagerie ne répond pas.";
const NO_TLS = "Le serveur de messagerie n’offre pas de connexion chiffrée (TLS).";
const UNUSABLE = "Cette adresse ne peut recevoir aucun message.";

/**
 * Speaks RFC 5321 over pooled connections. `url`: `smtp://…` (STARTTLS when offered) or
 * `smtps://…`.
 */
export function createSmtpTransport(options: SmtpOptions): MailTransport {
  const transport = createTransport({
    url: options.url,
    requireTLS: options.tls === "required",
    pool: true,
    // Urgent mail waits for no other.
    maxConnections: 8,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // No name loads a file or address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // Starts from the beginning when its connection was closed.
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
 * A 5xx about this message or receiver is final (RFC 5321 §4.2.1). A 5xx about us (greeting, login,
 * 530), a 4xx, silence or a cut line is an outage.
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
 * True when not reached, or refused. A line cut after the data leaves it open (RFC 5321
 * §4.5.3.2.6).
 */
function wasNeverTaken({ code, command, responseCode, syscall, timeoutType }: SmtpError): boolean {
  if ((responseCode ?? 0) >= 400 || code === "EAUTH" || code === "EDNS" || command === "API")
    return true;
  return (
    /^(connect|getaddrinfo|query)/.test(syscall ?? "") ||
    (timeoutType !== undefined && timeoutType !== "SOCKET_TIMEOUT")
  );
}

/** Joins server, system's code or status, and command. */
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

/** Errors: `mail_off`. */
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

type Attachment = MailMessage["attachments"][number] | MailPicture;

/**
 * Writes RFC 5322 and RFC 2045 at once: streams cost more than they encode. `nodemailer` writes the
 * headers.
 * Shape: pieces in order, a file once for all who get it; LF may end lines, as the transport
 * replaces it (RFC 5321 §2.3.8).
 */
export function buildMessage(message: MailMessage, from: string): readonly Buffer[] {
  const hasFiles = message.attachments.length > 0;
  const root = new MimeNode(hasFiles ? "multipart/mixed" : "multipart/alternative");
  root.setHeader({
    // RFC 3834 §5: no automatic replies.
    "Auto-Submitted": "auto-generated",
    From: { name: literal(message.fromName), address: from },
    To: { name: literal(message.to.name), address: message.to.address },
    ...(message.replyTo === null ? {} : { "Reply-To": message.replyTo }),
    Subject: literal(message.subject),
    "Message-ID": message.messageId,
  } as never);
  const words = hasFiles ? root.createChild("multipart/alternative") : root;
  const texts = [
    textPart(words.createChild("text/plain; charset=utf-8"), message.text),
    htmlPart(words, message),
  ];
  return join(
    hasFiles
      ? multipart(root, [multipart(words, texts), ...message.attachments.map(filePart)])
      : multipart(root, texts),
  );
}

/** Includes its pictures (RFC 2387), so that readers fetch nothing. */
function htmlPart(words: MimeNode, { html, pictures = [] }: MailMessage): Part {
  if (pictures.length === 0) return textPart(words.createChild("text/html; charset=utf-8"), html);
  const related = words.createChild('multipart/related; type="text/html"');
  return multipart(related, [
    textPart(related.createChild("text/html; charset=utf-8"), html),
    ...pictures.map(filePart),
  ]);
}

type Part = readonly (string | Buffer)[];

function multipart(node: MimeNode, parts: readonly Part[]): Part {
  const headers = node.buildHeaders();
  const delimiter = `--${(node as unknown as { readonly boundary: string }).boundary}`;
  return [
    `${headers}\r\n\r\n`,
    ...parts.flatMap((part, index) => [`${index === 0 ? "" : "\r\n"}${delimiter}\r\n`, ...part]),
    `\r\n${delimiter}--\r\n`,
  ];
}

function join(part: Part): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let text = "";
  for (const piece of [...part, Buffer.alloc(0)]) {
    if (typeof piece === "string") text += piece;
    else {
      pieces.push(Buffer.from(text), piece);
      text = "";
    }
  }
  return pieces.filter(({ length }) => length > 0);
}

function textPart(node: MimeNode, text: string): Part {
  node.setContent(text);
  const headers = node.buildHeaders();
  return [`${headers}\r\n\r\n${ENCODE[encodingOf(node)](text)}`];
}

type Encoding = "7bit" | "quoted-printable" | "base64";
const ENCODE: Readonly<Record<Encoding, (text: string) => string>> = {
  "7bit": (text) => text,
  "quoted-printable": (text) => wrap(encode(text)),
  base64: (text) => inLines(Buffer.from(text)).toString("latin1"),
};

function encodingOf(node: MimeNode): Encoding {
  return (node as unknown as { getTransferEncoding(): Encoding }).getTransferEncoding();
}

const encoded = new WeakMap<Attachment, Part>();

function filePart(file: Attachment): Part {
  const part = encoded.get(file) ?? encodeFile(file);
  encoded.set(file, part);
  return part;
}

function encodeFile(file: Attachment): Part {
  const { name, contentType, bytes } = file;
  // A root would have Message-ID and date.
  const node = new MimeNode("multipart/mixed").createChild(contentType, {
    filename: literal(name),
  });
  node.setHeader("Content-Transfer-Encoding", "base64");
  if ("cid" in file)
    node.setHeader({ "Content-ID": `<${file.cid}>`, "Content-Disposition": "inline" } as never);
  const body = inLines(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return [`${node.buildHeaders()}\r\n\r\n`, body];
}

/** RFC 2045 §6.8. */
const LINE = 76;

function inLines(bytes: Buffer): Buffer {
  const text = Buffer.from(bytes.toString("base64"), "latin1");
  const lines = Math.ceil(text.length / LINE);
  const output = Buffer.alloc(text.length + 2 * Math.max(0, lines - 1), "\r\n");
  for (let line = 0; line < lines; line++)
    text.copy(output, line * (LINE + 2), line * LINE, (line + 1) * LINE);
  return output;
}

/**
 * Breaks encoded words (RFC 2047 §2), which would show another text. The invisible joiner (U+2060)
 * forces encoding of the whole.
 */
function literal(text: string): string {
  return text.replaceAll("=?", "=\u2060?");
}
