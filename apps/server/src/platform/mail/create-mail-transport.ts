import type { Transform } from "node:stream";
import { promisify } from "node:util";
import {
  type DeliveryFailureCode,
  failure,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import { hasLongerLines } from "nodemailer/lib/mime-funcs";
import MimeNode from "nodemailer/lib/mime-node";
import { encode, wrap } from "nodemailer/lib/qp";
import SMTPPool from "nodemailer/lib/smtp-pool";
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
  const pool = new SMTPPool({
    url: options.url,
    requireTLS: options.tls === "required",
    pool: true,
    // Urgent mail waits for no other.
    maxConnections: 8,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  });
  const send = promisify(pool.send.bind(pool)) as unknown as (
    mail: object,
  ) => Promise<{ readonly response: string }>;
  return {
    async deliver(message) {
      try {
        const sent = await send(outgoing(message, options.from));
        return { state: "accepted", serverAnswer: oneLine(sent.response) };
      } catch (error) {
        return outcomeOf(error as SmtpError, new URL(options.url).host);
      }
    },
    async close() {
      pool.close();
    },
  };
}

/**
 * What the pool reads, from its beginning when a connection was closed. Pieces pass by the stream
 * that would look at each byte, which only ends the data.
 */
function outgoing(message: MailMessage, from: string): object {
  const envelope = new MimeNode().setEnvelope({
    from: { name: "", address: from },
    to: { name: "", address: message.to.address },
  });
  const pieces = buildMessage(message, from, asData);
  return {
    data: {},
    message: {
      getEnvelope: () => envelope.getEnvelope(),
      messageId: () => message.messageId,
      getHeader: () => message.messageId,
      createReadStream: () => ({
        readableDidRead: false,
        pipe(stream: Transform) {
          this.readableDidRead = true;
          for (const piece of pieces) stream.push(piece);
          stream.end("\r\n");
        },
      }),
    },
  };
}

/** Without its last CRLF. Source: RFC 5321 §2.3.8, §4.5.2. */
function asData(text: string): string {
  return text
    .replace(/\r\n?|\n/g, "\r\n")
    .replace(/^\./gm, "..")
    .replace(/--\r\n$/, "--");
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
export function buildMessage(
  message: MailMessage,
  from: string,
  written = (text: string): string => text,
): readonly Buffer[] {
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
  const texts = [textPart(PLAIN, message.text), htmlPart(words, message)];
  const whole = hasFiles
    ? multipart(root, [multipart(words, texts), ...message.attachments.map(filePart)])
    : multipart(root, texts);
  return join(whole, written);
}

/** Includes its pictures (RFC 2387), so that readers fetch nothing. */
function htmlPart(words: MimeNode, { html, pictures = [] }: MailMessage): Part {
  if (pictures.length === 0) return textPart(HTML, html);
  const related = words.createChild('multipart/related; type="text/html"');
  return multipart(related, [textPart(HTML, html), ...pictures.map(filePart)]);
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

function join(part: Part, written: (text: string) => string): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let text = "";
  for (const piece of [...part, Buffer.alloc(0)]) {
    if (typeof piece === "string") text += piece;
    else {
      pieces.push(Buffer.from(written(text)), piece);
      text = "";
    }
  }
  return pieces.filter(({ length }) => length > 0);
}

const PLAIN = "text/plain; charset=utf-8";
const HTML = "text/html; charset=utf-8";
const textHeaders = new Map<string, string>();

function textPart(type: string, text: string): Part {
  const encoding = encodingOf(text);
  const key = `${type} ${encoding}`;
  const headers = textHeaders.get(key) ?? headersOf(type, encoding);
  textHeaders.set(key, headers);
  return [`${headers}\r\n\r\n${ENCODE[encoding](text)}`];
}

/** A root would have Message-ID and date. */
function headersOf(type: string, encoding: Encoding): string {
  const node = new MimeNode("multipart/alternative").createChild(type);
  return node.setHeader("Content-Transfer-Encoding", encoding).buildHeaders();
}

type Encoding = "7bit" | "quoted-printable" | "base64";
const ENCODE: Readonly<Record<Encoding, (text: string) => string>> = {
  "7bit": (text) => text,
  "quoted-printable": (text) => wrap(encode(text)),
  base64: (text) => inLines(Buffer.from(text)).toString("latin1"),
};

/** The shorter one, counted as nodemailer does (RFC 2045 §6). */
function encodingOf(text: string): Encoding {
  let [letters, others] = [0, 0];
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place);
    const isControl = code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d;
    if (code >= 0x80 || isControl) others++;
    else if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) letters++;
  }
  if (others === 0 && !hasLongerLines(text, LINE)) return "7bit";
  return others < letters ? "quoted-printable" : "base64";
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
