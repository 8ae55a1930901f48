import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { createMailboxMail, createMailboxSms } from "./mailbox-transports.ts";
import { isMailboxShown } from "./mailbox-shown.ts";
import { MAILBOX_PATH } from "./routes.ts";

/** A point of P-256: RFC 8291, appendix A. */
const BROWSER_KEY = new Uint8Array(
  Buffer.from("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "base64url"),
);
let service: TestApp;
const get = (url: string) => service.app.inject({ method: "GET", url });

beforeAll(async () => {
  service = await createTestApp();
  const { mail, sms, clock } = service.platform;
  const to = { name: "Zoë Œuvrard", address: "zoe@exemple.fr" };
  const html = "<!doctype html><html><head><title>x</title></head><body><p>Bonjour <script>alert(1)</script></p></body></html>";
  const message = {
    messageId: "<1@localhost>",
    fromName: "Paul Martin via Paraphe",
    replyTo: "paul@exemple.fr",
    to,
    subject: "Bail <b>été</b>",
    html,
  };
  const file = { name: "bail_signe.pdf", contentType: "application/pdf", bytes: new Uint8Array(1_234) };
  await mail.deliver({ ...message, text: "Lire : https://localhost:8443/sign/1?token=t <script>", attachments: [file] });
  clock.advance({ seconds: 1 });
  await sms.deliver({ to: "+33612345678", text: '482913 : code pour signer "Bail".' });
  clock.advance({ seconds: 1 });
  // No push service is within reach: the mailbox stands for it.
  const target = { endpoint: "https://localhost:9/", publicKey: BROWSER_KEY, authSecret: new Uint8Array(16) };
  const content = { title: "Zoë a signé « Bail <b> »", body: "1 signature sur 2.", url: "/signature/detail/1" };
  await service.platform.push.deliver({ target, content, ttlS: 60, to: "camille@exemple.fr" });
});
afterAll(() => service.close());

describe("the local mailbox", () => {
  test("lists what arrived, newest first, on a page without a script", async () => {
    const page = await get(MAILBOX_PATH);
    expect([page.statusCode, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(page.body.indexOf("+33612345678")).toBeLessThan(page.body.indexOf("zoe@exemple.fr"));
    expect(page.body).toContain('<html lang="fr">');
    expect(page.body).toContain("3 messages");
    expect(page.body.indexOf("camille@exemple.fr")).toBeLessThan(page.body.indexOf("+33612345678"));
    expect(page.body).not.toMatch(/<script|<b>été/);
  });

  test("shows mails, texts and notifications as three kinds, and one of them alone on demand", async () => {
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
    expect(both).toContain('href="/boite-aux-lettres/?canal=email&#38;destination=zoe%40exemple.fr"');
  });

  test("filters by destination, whatever its case, and says when there is none", async () => {
    expect((await get(`${MAILBOX_PATH}?destination=ZOE@exemple.fr`)).body).toContain("1 message<");
    expect((await get(`${MAILBOX_PATH}?destination=%00`)).statusCode).toBe(200);
    expect((await get(`${MAILBOX_PATH}?destination=${encodeURIComponent('"><script>')}`)).body).toMatch(/Aucun message(?!.*<script)/s);
  });

  test("answers JSON for tests", async () => {
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

  test("shows a message: its HTML in a closed frame, its text with its links", async () => {
    const [message] = (await get(`${MAILBOX_PATH}messages.json?destination=zoe@exemple.fr`)).json().results;
    const page = await get(`${MAILBOX_PATH}${message.id}/`);
    expect(page.body).toContain(
      `<iframe title="Message mis en forme" sandbox="allow-popups allow-popups-to-escape-sandbox" src="${MAILBOX_PATH}${message.id}/html/">`,
    );
    expect(page.body).toContain('<a href="https://localhost:8443/sign/1?token=t">');
    expect(page.body).toContain("bail_signe.pdf (1234 octets)");
    expect(page.body).not.toContain("<script");
    const frame = await get(`${MAILBOX_PATH}${message.id}/html/`);
    expect(frame.headers["content-security-policy"]).toMatch(/^default-src 'none'; .*frame-ancestors 'self'.*sandbox allow-popups/);
    expect(frame.headers["content-security-policy"]).not.toMatch(/allow-scripts|allow-same-origin/);
    expect(frame.body).toContain('<base target="_blank">');
  });

  test("shows an SMS without a frame", async () => {
    const [message] = (await get(`${MAILBOX_PATH}messages.json?destination=%2B33612345678`)).json().results;
    const page = await get(`${MAILBOX_PATH}${message.id}/`);
    expect(page.body).toContain("482913");
    expect(page.body).not.toContain("<iframe");
    expect((await get(`${MAILBOX_PATH}${message.id}/html/`)).statusCode).toBe(404);
  });

  test("shows a notification as a browser does: its words, and the page it opens", async () => {
    const [message] = (await get(`${MAILBOX_PATH}messages.json?destination=camille@exemple.fr`)).json().results;
    expect(message).toMatchObject({ channel: "push", text: "1 signature sur 2.\nhttps://localhost:8443/signature/detail/1" });
    const page = await get(`${MAILBOX_PATH}${message.id}/`);
    expect(page.body).toContain('<a href="https://localhost:8443/signature/detail/1">Ouvrir la page</a>');
    expect(page.body).toContain("Zoë a signé « Bail &#60;b&#62; »");
    expect(page.body).not.toContain("<iframe");
  });

  test("answers 404 in French for an unknown message", async () => {
    for (const id of ["01990000-0000-7000-8000-000000000000", "x", "..%2f"])
      expect((await get(`${MAILBOX_PATH}${id}/`)).statusCode).toBe(404);
  });

  test("is not described among the calls of the API", async () => {
    expect((await get("/api/openapi.json")).body).not.toContain("boite-aux-lettres");
  });
});

describe("the local mailbox may be shown", () => {
  const local = { production: false, publicUrl: "https://localhost:8443", smtpUrl: null, sms: null };
  test.each([
    [local, true],
    [{ ...local, smtpUrl: "smtp://localhost" }, true],
    [{ ...local, sms: { url: "https://sms.exemple.fr", token: null } }, true],
    [{ ...local, smtpUrl: "smtp://localhost", sms: { url: "https://sms.exemple.fr", token: null } }, false],
    [{ ...local, production: true }, false],
    [{ ...local, publicUrl: "https://signature.exemple.fr" }, false],
    [{ ...local, publicUrl: "https://signature.exemple.fr", smtpUrl: "smtp://localhost" }, false],
  ])("with %j: %s", (settings, shown) => {
    expect(isMailboxShown(settings)).toBe(shown);
  });

  test("to nobody from another machine", async () => {
    for (const path of ["", "messages.json"]) {
      const answer = await service.app.inject({ method: "GET", url: `${MAILBOX_PATH}${path}`, remoteAddress: "192.0.2.7" });
      expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
    }
  });

  test.each(["evil.example:8443", "localhost.evil.example", "192.0.2.7:8443"])(
    "to nobody who asks for %j: the name may lead here",
    async (host) => {
      for (const path of ["", "messages.json"]) {
        const answer = await service.app.inject({ method: "GET", url: `${MAILBOX_PATH}${path}`, headers: { host } });
        expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
      }
    },
  );

  test.each(["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded"])("to nobody behind a proxy: %s", async (name) => {
    const answer = await service.app.inject({ method: "GET", url: MAILBOX_PATH, headers: { [name]: "localhost" } });
    expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
  });

  test.each(["localhost:8443", "127.0.0.1:8443", "[::1]:8443"])("under %s", async (host) => {
    expect((await service.app.inject({ method: "GET", url: MAILBOX_PATH, headers: { host } })).statusCode).toBe(200);
  });

  test.each([
    ["in production", { production: true }],
    ["under a public name", { publicUrl: "https://signature.exemple.fr", smtpUrl: "smtp://localhost" }],
  ])("%s its addresses do not exist", async (_where, settings) => {
    const production = await createTestApp({ settings });
    try {
      await createMailboxSms(production.platform).deliver({ to: "+33612345678", text: "482913 : code pour signer" });
      const { id } = await production.platform.db.selectFrom("mailbox_messages").select("id").executeTakeFirstOrThrow();
      for (const path of ["", "messages.json", `${id}/`, `${id}/html/`]) {
        const answer = await production.app.inject({ method: "GET", url: `${MAILBOX_PATH}${path}` });
        expect(answer.body).not.toMatch(/482913|Boîte aux lettres|results/);
      }
    } finally {
      await production.close();
    }
  });
});

test("an address in a domain with accents is found as it was typed", async () => {
  const { platform } = service;
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
    const found = await get(`${MAILBOX_PATH}messages.json?destination=${encodeURIComponent(typed)}`);
    expect(found.json().results.map(({ subject }: { subject: string }) => subject)).toEqual(["Activez votre compte"]);
  }
});
