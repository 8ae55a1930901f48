import MailComposer from "nodemailer/lib/mail-composer";
import { describe, expect, test } from "vitest";
import type { MailMessage } from "../message-transports.ts";
import { buildMessage } from "./create-mail-transport.ts";

const FROM = "paraphe@exemple.fr";
const MESSAGE: MailMessage = {
  messageId: "<019ae1de-0000-7000-8000-000000000001@localhost>",
  fromName: "Éloïse Lefèvre via Paraphe",
  replyTo: "eloise@exemple.fr",
  to: { name: "Zoë Œuvrard", address: "zoe@exemple.fr" },
  subject: "Document à signer\u00a0: Bail d’été",
  text: "Bonjour Zoë Œuvrard,\n\nÀ signer.\n",
  html: "<p>Bonjour Zoë Œuvrard,</p>\n",
  attachments: [],
};

/** Composes it as nodemailer does. */
function composed(message: MailMessage): Promise<Buffer> {
  return new MailComposer({
    messageId: message.messageId,
    from: { name: message.fromName, address: FROM },
    to: message.to,
    ...(message.replyTo === null ? {} : { replyTo: message.replyTo }),
    subject: message.subject,
    text: message.text,
    html: message.html,
    headers: { "Auto-Submitted": "auto-generated" },
    attachments: [...message.attachments, ...(message.pictures ?? [])].map(
      ({ name, contentType, bytes, ...rest }) => ({
        filename: name,
        contentType,
        content: Buffer.from(bytes),
        ...rest,
      }),
    ),
  })
    .compile()
    .build();
}

/** Leaves out what each message draws: its boundary and its second. */
const comparable = (...pieces: readonly Buffer[]): string =>
  Buffer.concat(pieces)
    .toString("latin1")
    .replace(/--_NmP-[0-9a-f]{16}/g, "BOUNDARY")
    .replace(/^Date: .*$/m, "Date:");

const lines = (...pieces: readonly Buffer[]) =>
  comparable(...pieces)
    .split("\r\n")
    .toSorted();

const pdf = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 31) % 256);

describe("the bytes of a message", () => {
  test.each([
    ["with both parts", {}],
    ["without Reply-To", { replyTo: null }],
    ["of plain ASCII", { subject: "Bail", text: "Bonjour\n", html: "<p>Bonjour</p>" }],
    [
      "with long lines",
      { text: `${"très long ".repeat(300)}\n.\n..\nfin  \n`, html: "x".repeat(999) },
    ],
    [
      "in another script",
      { text: "李小龍簽署了合同".repeat(40), to: { ...MESSAGE.to, name: "李小龍" } },
    ],
    ["with quotes and commas", { to: { ...MESSAGE.to, name: 'O"Brien, Sean <x@y.fr>' } }],
    ["with a break in a name", { fromName: "Paul\r\nBcc: v@exemple.fr", subject: "a\r\nX: 1" }],
    ["with empty texts", { text: "\n", html: "\n" }],
  ] satisfies readonly (readonly [string, Partial<MailMessage>])[])(
    "%s are those that nodemailer streams",
    async (_what, values) => {
      const message = { ...MESSAGE, ...values };
      expect(comparable(...buildMessage(message, FROM))).toBe(comparable(await composed(message)));
    },
  );

  test.each([0, 1, 56, 57, 58, 114, 100_000])(
    "with a file of %i bytes are those that nodemailer streams, but for the order of two headers",
    async (length) => {
      const files = ["Bail d’été (signé).pdf", "plan.pdf"].map((name) => ({
        name,
        contentType: "application/pdf",
        bytes: pdf(length),
      }));
      const message = { ...MESSAGE, attachments: files };
      expect(lines(...buildMessage(message, FROM))).toEqual(lines(await composed(message)));
    },
  );

  test.each([0, 1])(
    "with a picture and %i files are those that nodemailer streams, but for the order of headers",
    async (count) => {
      const files = Array.from({ length: count }, () => ({
        name: "Bail.pdf",
        contentType: "application/pdf",
        bytes: pdf(500),
      }));
      const pictures = [
        { cid: "logo@paraphe", name: "logo.png", contentType: "image/png", bytes: pdf(300) },
      ];
      const message = { ...MESSAGE, attachments: files, pictures };
      expect(lines(...buildMessage(message, FROM))).toEqual(lines(await composed(message)));
    },
  );
});
