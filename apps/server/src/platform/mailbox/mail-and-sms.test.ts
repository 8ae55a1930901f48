import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
  type Socket,
} from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestPlatform } from "../../../testing/platform.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../testing/smtp-server.ts";
import { createMailTransport, createSmtpTransport } from "../mail/create-mail-transport.ts";
import type { MailMessage, MailTransport } from "../message-transports.ts";
import { createSmsGateway, createSmsTransport, isSmsOffered } from "../sms/create-sms-transport.ts";
import {
  isMailboxShown,
  MAILBOX_PATH,
  createMailboxMail,
  createMailboxSms,
} from "./mailbox-transports.ts";
import { insertMailboxMessage, listMailboxMessages, sweepMailbox } from "./store.ts";

let service: TestApp;
let platform: TestPlatform;

beforeAll(async () => {
  service = await createTestApp();
  ({ platform } = service);
});
afterAll(() => service.close());

const transportTo = (url: string, tls: "optional" | "required" = "optional") =>
  createSmtpTransport({ url, from: "paraphe@exemple.fr", tls });

describe("mail", () => {
  const away = { state: "deferred", mayHaveLeft: false };
  let server: TestSmtpServer;
  let transport: MailTransport;

  beforeAll(async () => {
    server = await startSmtpServer();
    transport = transportTo(server.url);
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
    attachments: [
      {
        name: "bail signé.pdf",
        contentType: "application/pdf",
        bytes: new Uint8Array([0x25, 0x50, 0x44, 0x46]),
      },
    ],
  };

  describe("a message over SMTP", () => {
    test("a mail arrives whole: names, accents, both parts, its attachment, its id", async () => {
      expect(await transport.deliver(message)).toEqual({
        state: "accepted",
        serverAnswer: "250 2.0.0 pris en charge",
      });
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
      expect(got?.mail.attachments[0]).toMatchObject({
        filename: "bail signé.pdf",
        mimeType: "application/pdf",
      });
      expect(got?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
      expect(/^[\x00-\x7f]*$/.test(got?.raw.split("\r\n\r\n")[0] ?? "")).toBe(true);
    });

    test("a mail without a Reply-To has no such header", async () => {
      await transport.deliver({ ...message, replyTo: null, attachments: [] });
      expect(server.received[0]?.mail.replyTo).toBeUndefined();
    });

    test("a name or a subject adds no header and no receiver", async () => {
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

  describe("a server that refuses", () => {
    test.each([
      ["rcpt", 550, "5.1.1 adresse inconnue", "refused"],
      ["data", 554, "5.7.1 contenu refusé", "refused"],
      ["rcpt", 451, "4.7.1 liste grise", "deferred"],
      ["data", 452, "4.2.2 boîte pleine", "deferred"],
      ["rcpt", 530, "5.7.0 identifiez-vous", "deferred"],
    ] as const)("at %s with %i %s: %s", async (at, code, words, state) => {
      server.answers.push({ at, code, words });
      const { cause, ...outcome } = await transport.deliver(message);
      // A refused message has not left.
      expect(outcome).toEqual({
        state,
        serverAnswer: `${code} ${words}`,
        ...(state === "deferred" ? { mayHaveLeft: false } : {}),
      });
      expect(cause).toMatch(
        new RegExp(`^127\\.0\\.0\\.1:\\d+ E[A-Z]+ ${code} ${words.slice(0, 5)} \\(`),
      );
    });

    test("a server that refuses the greeting, or is silent, counts as away", async () => {
      const closed = await listenOnce((socket) => socket.end("554 5.3.2 fermé\r\n"));
      const refusing = transportTo(closed.url);
      expect(await refusing.deliver(message)).toMatchObject(away);
      await refusing.close();
      await closed.close();
      const gone = transportTo(closed.url);
      const { state, serverAnswer, cause, mayHaveLeft } = await gone.deliver(message);
      expect([state, serverAnswer, mayHaveLeft]).toEqual([
        "deferred",
        "Le serveur de messagerie ne répond pas.",
        false,
      ]);
      expect(cause).toMatch(/^127\.0\.0\.1:\d+ ECONNREFUSED \(CONN\)$/);
      await gone.close();
    });

    test("a server without the required TLS gets neither a password nor a message", async () => {
      const heard: string[] = [];
      const plain = await listenOnce((socket) => {
        socket.write("220 bonjour\r\n");
        socket.on("data", (chunk: Buffer) => {
          heard.push(...chunk.toString().trim().split("\r\n"));
          socket.write(
            /^(EHLO|HELO)/.test(heard.at(-1) ?? "")
              ? "250 AUTH PLAIN LOGIN\r\n"
              : "502 5.5.1 inconnu\r\n",
          );
        });
      });
      const url = plain.url.replace("smtp://", "smtp://greffe:motdepasse@");
      const asking = transportTo(url, "required");
      expect(await asking.deliver(message)).toMatchObject({
        state: "deferred",
        mayHaveLeft: false,
        serverAnswer: "Le serveur de messagerie n’offre pas de connexion chiffrée (TLS).",
      });
      await asking.close();
      await plain.close();
      expect(heard.filter((line) => !/^(EHLO|HELO|STARTTLS|QUIT)/.test(line))).toEqual([]);
    });

    test("MAIL=none refuses each message with its own sentence", async () => {
      const none = createMailTransport(
        { smtpUrl: null, smtpTls: "required", mailDisabled: true, mailFrom: "paraphe@exemple.fr" },
        platform,
      );
      expect(await none.deliver(message)).toMatchObject({
        state: "refused",
        serverAnswer: "mail_off",
      });
    });

    test("an unknown server name is not reached", async () => {
      const nowhere = transportTo("smtp://serveur.invalid:2525");
      expect(await nowhere.deliver(message)).toMatchObject(away);
      await nowhere.close();
    });

    test("a line cut after the data defers the message, which may have arrived", async () => {
      const cutting = await listenOnce((socket) => {
        socket.write("220 bonjour\r\n");
        socket.on("data", (chunk: Buffer) => {
          const line = chunk.toString();
          if (/^(EHLO|MAIL|RCPT)/.test(line)) socket.write("250 oui\r\n");
          else if (line.startsWith("DATA")) socket.write("354 allez\r\n");
          else socket.destroy();
        });
      });
      const transport = transportTo(cutting.url);
      expect(await transport.deliver(message)).toMatchObject({
        state: "deferred",
        mayHaveLeft: true,
      });
      await transport.close();
      await cutting.close();
    });

    test("an invalid address is refused for good", async () => {
      expect((await transport.deliver({ ...message, to: { name: "", address: "" } })).state).toBe(
        "refused",
      );
    });
  });

  async function listenOnce(
    greet: (socket: Socket) => void,
  ): Promise<{ url: string; close(): Promise<void> }> {
    const listener: TcpServer = createTcpServer((socket) => {
      socket.on("error", () => socket.destroy());
      greet(socket);
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const address = listener.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return {
      url: `smtp://127.0.0.1:${port}`,
      close: () => new Promise((resolve) => listener.close(() => resolve())),
    };
  }
});

describe("a gateway for texts", () => {
  let server: Server;
  let url: string;
  const seen: { method: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
  let answer = { status: 202, body: "file d’attente\n", headers: {} as Record<string, string> };
  /** Set to replace the answer. */
  let instead: ((response: ServerResponse, body: string) => void) | null = null;

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        seen.push({ method: request.method, headers: request.headers, body });
        if (instead !== null) return instead(response, body);
        response.writeHead(answer.status, answer.headers).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/envoi`;
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  afterEach(() => {
    instead = null;
  });

  const text = { to: "+33612345678", text: "482913 : code pour signer" };

  test("a text is posted as JSON with the bearer token", async () => {
    expect(await createSmsGateway({ url, token: "jeton" }).deliver(text)).toMatchObject({
      state: "accepted",
      serverAnswer: "202 file d’attente",
    });
    const [request] = seen;
    expect(request?.method).toBe("POST");
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      authorization: "Bearer jeton",
    });
    expect(JSON.parse(request?.body ?? "")).toEqual(text);
  });

  test("no authorization is sent without a token", async () => {
    await createSmsGateway({ url, token: null }).deliver(text);
    expect(seen.at(-1)?.headers.authorization).toBeUndefined();
  });

  test.each([
    [200, "accepted", false],
    [204, "accepted", false],
    [400, "refused", false],
    [422, "refused", false],
    [401, "deferred", false],
    [404, "deferred", false],
    [429, "deferred", false],
    [500, "deferred", true],
    [503, "deferred", true],
  ])("a %i is %s; it may have left: %s", async (status, state, mayHaveLeft) => {
    answer = { status, body: "", headers: {} };
    expect(await createSmsGateway({ url, token: null }).deliver(text)).toMatchObject({
      state,
      serverAnswer: String(status),
      mayHaveLeft,
    });
  });

  test("a redirect is not followed: the code goes nowhere else", async () => {
    answer = { status: 307, body: "", headers: { location: url } };
    const before = seen.length;
    expect((await createSmsGateway({ url, token: null }).deliver(text)).state).toBe("deferred");
    expect(seen.length).toBe(before + 1);
  });

  test("a gateway that is away is retried", async () => {
    expect(
      await createSmsGateway({ url: "http://127.0.0.1:65001/", token: null }).deliver(text),
    ).toEqual({
      state: "deferred",
      serverAnswer: "La passerelle SMS ne répond pas.",
      cause: "127.0.0.1:65001 ECONNREFUSED",
      mayHaveLeft: false,
    });
  });

  test("a silent gateway is given up, and retried later", async () => {
    instead = () => undefined;
    const startedAt = performance.now();
    expect(
      await createSmsGateway({ url, token: "jeton", timeoutMs: 100 }).deliver(text),
    ).toMatchObject({
      state: "deferred",
      mayHaveLeft: true,
    });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  test("a broken answer counts by its status; a cut line is retried", async () => {
    instead = (response) => {
      response.writeHead(202, { "content-length": "1000" });
      response.write("pris en", () => response.destroy());
    };
    expect((await createSmsGateway({ url, token: null }).deliver(text)).state).toBe("accepted");
    instead = (response) => response.destroy();
    expect((await createSmsGateway({ url, token: null }).deliver(text)).state).toBe("deferred");
  });

  test("only the start of a long answer is stored", async () => {
    instead = (response) => response.writeHead(422).end("x ".repeat(2_500_000));
    const outcome = await createSmsGateway({ url, token: null }).deliver(text);
    expect(outcome).toMatchObject({ state: "refused", serverAnswer: `422 ${"x ".repeat(98)}` });
  });

  test.each([
    ["a code", "482913 : code pour signer"],
    ["a link", "Paul : document à signer. https://sign.exemple.fr/sign/e?token=secret"],
  ])("an answer is stored without %s and without the bearer token", async (_, words) => {
    instead = (response, body) =>
      response.writeHead(400).end(`Bearer jeton-tres-secret refused for ${body}`);
    const { serverAnswer } = await createSmsGateway({ url, token: "jeton-tres-secret" }).deliver({
      to: text.to,
      text: words,
    });
    expect(serverAnswer).toContain("400 Bearer …");
    expect(serverAnswer).not.toMatch(/482913|token=|jeton-tres-secret/);
  });

  test.each([
    [
      "escaped in another way",
      (token: string) => `lien https:\\u002f\\u002fsign.exemple.fr?token\\u003d${token} refusé`,
    ],
    ["where the answer is cut", (token: string) => `${"mot ".repeat(46)}${token}`],
  ])("an answer is stored without a link's token %s", async (_, words) => {
    const token = "Zx9_".repeat(10);
    instead = (response) => response.writeHead(400).end(words(token));
    const outcome = await createSmsGateway({ url, token: null }).deliver({
      to: text.to,
      text: `https://sign.exemple.fr/sign/e?token=${token}`,
    });
    expect(outcome.serverAnswer).toContain("…");
    expect(outcome.serverAnswer).not.toContain("Zx9_");
  });
});

describe("texts", () => {
  const OWN = {
    sms: null,
    smsCountries: ["33", "590"],
    production: false,
    publicUrl: "https://localhost:8443",
  };

  test.each([
    [OWN, true],
    [{ ...OWN, production: true }, false],
    [{ ...OWN, publicUrl: "https://signature.exemple.fr" }, false],
    [{ ...OWN, production: true, sms: { url: "https://sms.exemple.fr", token: null } }, true],
  ])("with %j a text is offered: %s", (settings, offered) => {
    expect(isSmsOffered(settings)).toBe(offered);
  });

  test.each([
    ["+33612345678", "accepted"],
    ["+590690123456", "accepted"],
    ["+12025550123", "refused"],
    ["+5901", "accepted"],
    ["+59", "refused"],
  ])("a text to %s is %s, by the list of countries", async (to, state) => {
    const outcome = await createSmsTransport(OWN, platform).deliver({ to, text: "482913 : code" });
    expect(outcome.state).toBe(state);
    const kept = await platform.db
      .deleteFrom("mailbox_messages")
      .returning("destination")
      .execute();
    expect(kept.map(({ destination }) => destination)).toEqual(state === "accepted" ? [to] : []);
  });

  test("without a gateway, outside a developer's machine, a text is refused and not stored", async () => {
    const outcome = await createSmsTransport({ ...OWN, production: true }, platform).deliver({
      to: "+33612345678",
      text: "482913 : code",
    });
    expect(outcome.state).toBe("refused");
    expect(await platform.db.selectFrom("mailbox_messages").selectAll().execute()).toEqual([]);
  });
});

describe("the mailbox", () => {
  /** Key of RFC 8291, appendix A. */
  const BROWSER_KEY = new Uint8Array(
    Buffer.from(
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      "base64url",
    ),
  );
  const get = (url: string) => service.app.inject({ method: "GET", url });

  beforeAll(async () => {
    const { mail, sms, clock } = service.platform;
    const to = { name: "Zoë Œuvrard", address: "zoe@exemple.fr" };
    const html =
      "<!doctype html><html><head><title>x</title></head><body><p>Bonjour <script>alert(1)</script></p></body></html>";
    const message = {
      messageId: "<1@localhost>",
      fromName: "Paul Martin via Paraphe",
      replyTo: "paul@exemple.fr",
      to,
      subject: "Bail <b>été</b>",
      html,
    };
    const file = {
      name: "bail_signe.pdf",
      contentType: "application/pdf",
      bytes: new Uint8Array(1_234),
    };
    await mail.deliver({
      ...message,
      text: "Lire : https://localhost:8443/sign/1?token=t <script>",
      attachments: [file],
    });
    clock.advance({ seconds: 1 });
    await sms.deliver({ to: "+33612345678", text: '482913 : code pour signer "Bail".' });
    clock.advance({ seconds: 1 });
    // No push service is reachable.
    const target = {
      endpoint: "https://localhost:9/",
      publicKey: BROWSER_KEY,
      authSecret: new Uint8Array(16),
    };
    const content = {
      title: "Zoë a signé « Bail <b> »",
      body: "1 signature sur 2.",
      url: "/signature/detail/1",
    };
    await service.platform.push.deliver({ target, content, ttlS: 60, to: "camille@exemple.fr" });
  });
  describe("the local mailbox", () => {
    test("the mailbox lists messages, newest first, without a script", async () => {
      const page = await get(MAILBOX_PATH);
      expect([page.statusCode, page.headers["content-type"]]).toEqual([
        200,
        "text/html; charset=utf-8",
      ]);
      expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
      expect(page.body.indexOf("+33612345678")).toBeLessThan(page.body.indexOf("zoe@exemple.fr"));
      expect(page.body).toContain('<html lang="fr">');
      expect(page.body).toContain("3 messages");
      expect(page.body.indexOf("camille@exemple.fr")).toBeLessThan(
        page.body.indexOf("+33612345678"),
      );
      expect(page.body).not.toMatch(/<script|<b>été/);
    });

    test("mails, texts and notifications are three kinds, each filtered on demand", async () => {
      const all = (await get(MAILBOX_PATH)).body;
      for (const [name, count] of [
        ["Tout", 3],
        ["Emails", 1],
        ["SMS", 1],
        ["Notifications", 1],
      ])
        expect(all).toContain(`>${name} <span>${count}</span>`);
      for (const [canal, destination] of [
        ["email", "zoe@exemple.fr"],
        ["sms", "+33612345678"],
        ["push", "camille@exemple.fr"],
      ]) {
        const one = (await get(`${MAILBOX_PATH}?canal=${canal}`)).body;
        expect(one).toContain("1 message<");
        expect(one.match(/<li>/g)).toHaveLength(1);
        expect(one).toContain(destination);
        expect(one).toMatch(new RegExp(`href="[^"]*canal=${canal}" aria-current="page"`));
      }
      expect((await get(`${MAILBOX_PATH}?canal=pigeon`)).body).toContain("3 messages");
      const both = (await get(`${MAILBOX_PATH}?canal=sms&destination=zoe@exemple.fr`)).body;
      expect(both).toContain("Aucun message");
      expect(both).toContain(
        'href="/boite-aux-lettres/?canal=email&#38;destination=zoe%40exemple.fr"',
      );
    });

    test("messages are filtered by destination, in any case, and an empty list says so", async () => {
      expect((await get(`${MAILBOX_PATH}?destination=ZOE@exemple.fr`)).body).toContain(
        "1 message<",
      );
      expect((await get(`${MAILBOX_PATH}?destination=%00`)).statusCode).toBe(200);
      expect(
        (await get(`${MAILBOX_PATH}?destination=${encodeURIComponent('"><script>')}`)).body,
      ).toMatch(/Aucun message(?!.*<script)/s);
    });

    test("the mailbox answers JSON for tests", async () => {
      const answer = await get(`${MAILBOX_PATH}messages.json?destination=zoe@exemple.fr`);
      expect(answer.json().results).toEqual([
        {
          id: expect.any(String),
          channel: "email",
          destination: "zoe@exemple.fr",
          subject: "Bail <b>été</b>",
          received_at: "2026-11-21T10:00:00.000Z",
          message_id: "<1@localhost>",
          from: "Paul Martin via Paraphe <paraphe@localhost>",
          to: "Zoë Œuvrard <zoe@exemple.fr>",
          reply_to: "paul@exemple.fr",
          text: "Lire : https://localhost:8443/sign/1?token=t <script>",
          html: expect.stringContaining("Bonjour"),
          attachments: [{ name: "bail_signe.pdf", content_type: "application/pdf", size: 1_234 }],
        },
      ]);
      expect((await get(`${MAILBOX_PATH}messages.json`)).json().results).toHaveLength(3);
    });

    test("a mail shows its HTML in a sandboxed frame, and its text with links", async () => {
      const [message] = (
        await get(`${MAILBOX_PATH}messages.json?destination=zoe@exemple.fr`)
      ).json().results;
      const page = await get(`${MAILBOX_PATH}${message.id}/`);
      expect(page.body).toContain(
        `<iframe title="Message mis en forme" sandbox="allow-popups allow-popups-to-escape-sandbox" src="${MAILBOX_PATH}${message.id}/html/">`,
      );
      expect(page.body).toContain('<a href="https://localhost:8443/sign/1?token=t">');
      expect(page.body).toContain("bail_signe.pdf (1234 octets)");
      expect(page.body).not.toContain("<script");
      const frame = await get(`${MAILBOX_PATH}${message.id}/html/`);
      expect(frame.headers["content-security-policy"]).toMatch(
        /^default-src 'none'; .*frame-ancestors 'self'.*sandbox allow-popups/,
      );
      expect(frame.headers["content-security-policy"]).not.toMatch(
        /allow-scripts|allow-same-origin/,
      );
      expect(frame.body).toContain('<base target="_blank">');
    });

    test("a text shows without a frame", async () => {
      const [message] = (
        await get(`${MAILBOX_PATH}messages.json?destination=%2B33612345678`)
      ).json().results;
      const page = await get(`${MAILBOX_PATH}${message.id}/`);
      expect(page.body).toContain("482913");
      expect(page.body).not.toContain("<iframe");
      expect((await get(`${MAILBOX_PATH}${message.id}/html/`)).statusCode).toBe(404);
    });

    test("a notification shows its words and the page it opens", async () => {
      const [message] = (
        await get(`${MAILBOX_PATH}messages.json?destination=camille@exemple.fr`)
      ).json().results;
      expect(message).toMatchObject({
        channel: "push",
        text: "1 signature sur 2.\nhttps://localhost:8443/signature/detail/1",
      });
      const page = await get(`${MAILBOX_PATH}${message.id}/`);
      expect(page.body).toContain(
        '<a href="https://localhost:8443/signature/detail/1">Ouvrir la page</a>',
      );
      expect(page.body).toContain("Zoë a signé « Bail &#60;b&#62; »");
      expect(page.body).not.toContain("<iframe");
    });

    test("an unknown message is 404 in French", async () => {
      for (const id of ["01990000-0000-7000-8000-000000000000", "x", "..%2f"])
        expect((await get(`${MAILBOX_PATH}${id}/`)).statusCode).toBe(404);
    });

    test("the mailbox is not in the API description", async () => {
      expect((await get("/api/openapi.json")).body).not.toContain("boite-aux-lettres");
    });
  });

  describe("the local mailbox may be shown", () => {
    const local = {
      production: false,
      publicUrl: "https://localhost:8443",
      smtpUrl: null,
      sms: null,
    };
    test.each([
      [local, true],
      [{ ...local, smtpUrl: "smtp://localhost" }, true],
      [{ ...local, sms: { url: "https://sms.exemple.fr", token: null } }, true],
      [
        {
          ...local,
          smtpUrl: "smtp://localhost",
          sms: { url: "https://sms.exemple.fr", token: null },
        },
        false,
      ],
      [{ ...local, production: true }, false],
      [{ ...local, publicUrl: "https://signature.exemple.fr" }, false],
      [{ ...local, publicUrl: "https://signature.exemple.fr", smtpUrl: "smtp://localhost" }, false],
    ])("with %j: %s", (settings, shown) => {
      expect(isMailboxShown(settings)).toBe(shown);
    });

    test("the mailbox is closed to other machines", async () => {
      for (const path of ["", "messages.json"]) {
        const answer = await service.app.inject({
          method: "GET",
          url: `${MAILBOX_PATH}${path}`,
          remoteAddress: "192.0.2.7",
        });
        expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
      }
    });

    test.each(["evil.example:8443", "localhost.evil.example", "192.0.2.7:8443"])(
      "the mailbox is closed under the name %j, which may lead here",
      async (host) => {
        for (const path of ["", "messages.json"]) {
          const answer = await service.app.inject({
            method: "GET",
            url: `${MAILBOX_PATH}${path}`,
            headers: { host },
          });
          expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
        }
      },
    );

    test.each(["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded"])(
      "the mailbox is closed behind a proxy with %s",
      async (name) => {
        const answer = await service.app.inject({
          method: "GET",
          url: MAILBOX_PATH,
          headers: { [name]: "localhost" },
        });
        expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
      },
    );

    test.each(["localhost:8443", "127.0.0.1:8443", "[::1]:8443"])(
      "the mailbox is open under %s",
      async (host) => {
        expect(
          (await service.app.inject({ method: "GET", url: MAILBOX_PATH, headers: { host } }))
            .statusCode,
        ).toBe(200);
      },
    );

    test.each([
      ["in production", { production: true }],
      [
        "under a public name",
        { publicUrl: "https://signature.exemple.fr", smtpUrl: "smtp://localhost" },
      ],
    ])("%s its addresses do not exist", async (_where, settings) => {
      const production = await createTestApp({ settings });
      try {
        await createMailboxSms(production.platform).deliver({
          to: "+33612345678",
          text: "482913 : code pour signer",
        });
        const { id } = await production.platform.db
          .selectFrom("mailbox_messages")
          .select("id")
          .executeTakeFirstOrThrow();
        for (const path of ["", "messages.json", `${id}/`, `${id}/html/`]) {
          const answer = await production.app.inject({
            method: "GET",
            url: `${MAILBOX_PATH}${path}`,
          });
          expect(answer.body).not.toMatch(/482913|Boîte aux lettres|results/);
        }
      } finally {
        await production.close();
      }
    });
  });

  test("an address is found by its domain's accented spelling", async () => {
    const mail = createMailboxMail(platform, "paraphe@localhost");
    const message = {
      messageId: "<2@localhost>",
      fromName: "Paraphe",
      replyTo: null,
      subject: "Activez votre compte",
      text: "",
      html: "",
      attachments: [],
    };
    await mail.deliver({ ...message, to: { name: "", address: "acc@xn--exmple-cva.fr" } });
    for (const typed of ["acc@exémple.fr", "ACC@EXÉMPLE.fr", "acc@xn--exmple-cva.fr"]) {
      const found = await get(
        `${MAILBOX_PATH}messages.json?destination=${encodeURIComponent(typed)}`,
      );
      expect(found.json().results.map(({ subject }: { subject: string }) => subject)).toEqual([
        "Activez votre compte",
      ]);
    }
  });
});

describe("the mailbox's messages", () => {
  test("the mailbox deletes old messages and keeps recent ones", async () => {
    const message = (id: string, receivedAt: string) => ({
      id,
      channel: "email",
      destination: "a@exemple.fr",
      subject: id,
      content: {
        message_id: null,
        from: "",
        to: "",
        reply_to: null,
        text: "",
        html: null,
        attachments: [],
      },
      receivedAt: new Date(receivedAt),
    });
    const [old, recent] = [platform.newId(), platform.newId()];
    await insertMailboxMessage(platform.db, message(old, "2026-11-13T10:00:00Z"));
    await insertMailboxMessage(platform.db, message(recent, "2026-11-14T10:00:01Z"));
    await sweepMailbox(platform.db, new Date("2026-11-14T10:00:00Z"));
    expect(
      (await listMailboxMessages(platform.db, { destination: "a@exemple.fr", limit: 10 })).map(
        ({ id }) => id,
      ),
    ).toEqual([recent]);
  });
});
