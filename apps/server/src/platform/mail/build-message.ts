import MimeNode from "nodemailer/lib/mime-node";
import { encode, wrap } from "nodemailer/lib/qp";
import type { MailMessage, MailPicture } from "../message-transports.ts";

type Attachment = MailMessage["attachments"][number] | MailPicture;

/**
 * The message in bytes (RFC 5322, RFC 2045), made at once: streams of parts cost more than all
 * that they encode. `nodemailer` writes the headers.
 * Shape: pieces in order, since a file is in the memory once for all who get it; lines may end in
 * LF, which the transport replaces (RFC 5321 §2.3.8).
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

/** With the pictures that it shows (RFC 2387): a reader fetches nothing. */
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
  // Writing the headers draws the boundary.
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
 * Breaks encoded words (RFC 2047 §2), which would show the reader another text than ours.
 * The invisible joiner (U+2060) also forces the whole to be encoded.
 */
function literal(text: string): string {
  return text.replaceAll("=?", "=\u2060?");
}
