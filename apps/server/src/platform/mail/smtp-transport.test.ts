import { createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startSmtpServer, type TestSmtpServer } from "../../../testing/smtp-server.ts";
import type { MailMessage, MailTransport } from "./mail-transport.ts";
import { createSmtpTransport } from "./smtp-transport.ts";

let server: TestSmtpServer;
let transport: MailTransport;

beforeAll(async () => {
  server = await startSmtpServer();
  transport = createSmtpTransport({ url: server.url, from: "paraphe@exemple.fr" });
});
beforeEach(() => {
  server.received.length = 0;
  server.answers.length = 0;
});
afterAll(async () => {
  await transport.close();
  await server.close();
});

const message: MailMessage = {
  messageId: "<01990000-0000-7000-8000-000000000001@exemple.fr>",
  fromName: "Éloïse Lefèvre via Paraphe",
  replyTo: "eloise@exemple.fr",
  to: { name: "Zoë Œuvrard", address: "zoe@exemple.fr" },
  subject: "Document à signer\u00a0: Bail – 12 rue Haute",
  text: "Bonjour Zoë Œuvrard,\n",
  html: "<p>Bonjour Zoë Œuvrard,</p>",
  attachments: [{ name: "bail signé.pdf", contentType: "application/pdf", bytes: new Uint8Array([0x25, 0x50, 0x44, 0x46]) }],
};

describe("a message over SMTP", () => {
  test("arrives whole: names, accents, both parts, its attachment, its id", async () => {
    expect(await transport.deliver(message)).toEqual({ state: "accepted", serverAnswer: "250 2.0.0 pris en charge" });
    const [got] = server.received;
    expect(got?.envelope).toEqual({ from: "paraphe@exemple.fr", to: ["zoe@exemple.fr"] });
    expect(got?.mail).toMatchObject({
      messageId: message.messageId,
      from: { name: "Éloïse Lefèvre via Paraphe", address: "paraphe@exemple.fr" },
      replyTo: [{ address: "eloise@exemple.fr" }],
      to: [{ name: "Zoë Œuvrard", address: "zoe@exemple.fr" }],
      subject: message.subject,
    });
    expect(got?.mail.text?.trim()).toBe(message.text.trim());
    expect(got?.mail.html?.trim()).toBe(message.html);
    expect(got?.mail.attachments[0]).toMatchObject({ filename: "bail signé.pdf", mimeType: "application/pdf" });
    expect(got?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(/^[\x00-\x7f]*$/.test(got?.raw.split("\r\n\r\n")[0] ?? "")).toBe(true);
  });

  test("without a Reply-To has none", async () => {
    await transport.deliver({ ...message, replyTo: null, attachments: [] });
    expect(server.received[0]?.mail.replyTo).toBeUndefined();
  });

  test("cannot gain a header or a receiver from a name or a subject", async () => {
    const evil = "Paul\r\nBcc: victime@exemple.fr";
    await transport.deliver({
      ...message,
      subject: evil,
      fromName: evil,
      to: { name: `${evil}, "x" <y@z.fr>`, address: "zoe@exemple.fr" },
    });
    const [got] = server.received;
    expect(got?.envelope.to).toEqual(["zoe@exemple.fr"]);
    expect(got?.mail.bcc).toBeUndefined();
    expect(got?.raw).not.toMatch(/^Bcc:/im);
  });
});

describe("a server that says no", () => {
  test.each([
    ["rcpt", 550, "5.1.1 adresse inconnue", "refused"],
    ["data", 554, "5.7.1 contenu refusé", "refused"],
    ["rcpt", 451, "4.7.1 liste grise", "deferred"],
    ["data", 452, "4.2.2 boîte pleine", "deferred"],
    ["rcpt", 530, "5.7.0 identifiez-vous", "deferred"],
  ] as const)("at %s with %i %s: %s", async (at, code, words, state) => {
    server.answers.push({ at, code, words });
    const { cause, ...outcome } = await transport.deliver(message);
    // It said no: the message has not left, whether it is tried again or not.
    expect(outcome).toEqual({ state, serverAnswer: `${code} ${words}`, ...(state === "deferred" ? { mayHaveLeft: false } : {}) });
    expect(cause).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+ E[A-Z]+ ${code} ${words.slice(0, 5)} \\(`));
  });

  test("at the greeting, or not at all, is away", async () => {
    const closed = await listenOnce((socket) => socket.end("554 5.3.2 fermé\r\n"));
    const refusing = createSmtpTransport({ url: closed.url, from: "paraphe@exemple.fr" });
    expect(await refusing.deliver(message)).toMatchObject({ state: "deferred", mayHaveLeft: false });
    await refusing.close();
    await closed.close();
    const gone = createSmtpTransport({ url: closed.url, from: "paraphe@exemple.fr" });
    const { state, serverAnswer, cause, mayHaveLeft } = await gone.deliver(message);
    expect([state, serverAnswer, mayHaveLeft]).toEqual(["deferred", "Le serveur de messagerie ne répond pas.", false]);
    expect(cause).toMatch(/^127\.0\.0\.1:\d+ ECONNREFUSED \(CONN\)$/);
    await gone.close();
  });

  test("under an unknown name is not reached", async () => {
    const nowhere = createSmtpTransport({ url: "smtp://serveur.invalid:2525", from: "paraphe@exemple.fr" });
    expect(await nowhere.deliver(message)).toMatchObject({ state: "deferred", mayHaveLeft: false });
    await nowhere.close();
  });

  test("that cuts the line after the data leaves the message to be tried again, and a doubt: it may have it", async () => {
    const cutting = await listenOnce((socket) => {
      socket.write("220 bonjour\r\n");
      socket.on("data", (chunk: Buffer) => {
        const line = chunk.toString();
        if (/^(EHLO|MAIL|RCPT)/.test(line)) socket.write("250 oui\r\n");
        else if (line.startsWith("DATA")) socket.write("354 allez\r\n");
        else socket.destroy();
      });
    });
    const transport = createSmtpTransport({ url: cutting.url, from: "paraphe@exemple.fr" });
    expect(await transport.deliver(message)).toMatchObject({ state: "deferred", mayHaveLeft: true });
    await transport.close();
    await cutting.close();
  });

  test("to an address that is none has nothing to be tried again for", async () => {
    expect((await transport.deliver({ ...message, to: { name: "", address: "" } })).state).toBe("refused");
  });
});

async function listenOnce(greet: (socket: Socket) => void): Promise<{ url: string; close(): Promise<void> }> {
  const listener: Server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    greet(socket);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `smtp://127.0.0.1:${port}`, close: () => new Promise((resolve) => listener.close(() => resolve())) };
}
