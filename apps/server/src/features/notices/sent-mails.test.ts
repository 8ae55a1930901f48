import { writeTogether } from "../../platform/database/in-transaction.ts";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makePng } from "../../../testing/images.ts";
import { EXPECTED_MAILS, NOTICE_SAMPLES } from "../../../testing/notice-samples.ts";
import { IDENTITY } from "../../../testing/organisation.ts";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import {
  type ReceivedMail,
  startSmtpServer,
  type TestSmtpServer,
} from "../../../testing/smtp-server.ts";
import type { MailKind, Notice, NoticeContents } from "./domain/notice.ts";
import { enqueueNotice, recordArrival, withdrawNotices } from "./enqueue-notice.ts";
import { registerNoticeJobs } from "./run-outbox.ts";
import { loadDeliveries } from "./store.ts";

let server: TestSmtpServer;
let platform: TestPlatform;

beforeAll(async () => {
  server = await startSmtpServer();
  platform = await createTestPlatform({
    settings: { smtpUrl: server.url, mailFrom: "paraphe@exemple.fr" },
  });
  registerNoticeJobs(platform);
});

afterAll(async () => {
  await platform.close();
  await server.close();
});

describe("mails over SMTP", () => {
  let count = 0;
  beforeEach(() => {
    server.received.length = 0;
  });

  const ZOE = { fullName: "Zoë Œuvrard", address: "zoe@exemple.fr" };

  /** Sends one message through the outbox; gives it as the server's parser read it. */
  async function receive<K extends MailKind>(
    kind: K,
    values: { content?: NoticeContents[K]; to?: Notice["to"] } = {},
  ): Promise<ReceivedMail> {
    count += 1;
    const notice = {
      kind,
      channel: "email",
      dedupeKey: `smtp:${count}`,
      to: ZOE,
      content: NOTICE_SAMPLES[kind],
      ...values,
    } as Notice;
    await platform.db.transaction().execute((trx) => enqueueNotice(trx, platform, notice));
    await platform.settle();
    return server.received.at(-1) ?? expect.fail("nothing arrived");
  }

  const FOOTER = "Paraphe, signature électronique. Message envoyé automatiquement.";
  const KINDS = Object.keys(EXPECTED_MAILS) as MailKind[];
  const signature = (text: string) =>
    text.includes(`-- \n${FOOTER}`) || text.includes(`--\n${FOOTER}`);

  test("a named organisation sends the mails and signs them, a code's without any link", async () => {
    await platform.db
      .insertInto("organisations")
      .values({
        id: platform.newId(),
        is_host: true,
        ...IDENTITY,
        created_at: platform.clock(),
        updated_at: platform.clock(),
      })
      .execute();
    // The name is read again after five seconds.
    platform.clock.advance({ seconds: 6 });
    try {
      const code = await receive("code");
      const footer =
        "Cabinet Aubry & Associés, 14 rue aux Juifs, 76000 Rouen. Message envoyé automatiquement par Paraphe, signature électronique.";
      expect(code.mail.from?.name).toBe("Cabinet Aubry & Associés");
      expect(code.mail.text?.replaceAll("\r\n", "\n")).toContain(footer);
      expect(code.mail.html).toContain(footer.replace("&", "&#38;"));
      expect(`${code.mail.text}${code.mail.html}`).not.toMatch(/https?:|www\.|href/);
      expect((await receive("invitation")).mail.from?.name).toBe(
        "Paul Martin via Cabinet Aubry & Associés",
      );
    } finally {
      await platform.db.deleteFrom("organisations").execute();
      platform.clock.advance({ seconds: 6 });
    }
  });

  test("an organisation's mails have its colour, sender, end and logo, and fetch nothing", async () => {
    const logo = Buffer.from(makePng(90, 30));
    await platform.db
      .insertInto("organisations")
      .values({
        id: platform.newId(),
        is_host: true,
        ...IDENTITY,
        colour: "#6b1f3a",
        logo,
        mail_sender_name: "Cabinet Aubry",
        mail_reply_to: "contact@cabinet-aubry.fr",
        mail_footer: "Cabinet Aubry\n14 rue aux Juifs, Rouen.",
        created_at: platform.clock(),
        updated_at: platform.clock(),
      })
      .execute();
    platform.clock.advance({ seconds: 6 });
    try {
      const { mail, raw } = await receive("code");
      expect([mail.from?.name, mail.replyTo?.[0]?.address]).toEqual([
        "Cabinet Aubry",
        "contact@cabinet-aubry.fr",
      ]);
      expect(mail.text?.replaceAll("\r\n", "\n")).toContain(
        "-- \nCabinet Aubry\n14 rue aux Juifs, Rouen. Message envoyé automatiquement par Paraphe",
      );
      const { html = "" } = mail;
      expect(html).toContain("Cabinet Aubry<br>14 rue aux Juifs, Rouen. Message");
      expect(html.match(/src="[^"]*"/g)).toEqual(['src="cid:logo@paraphe"']);
      // A logo three times as wide as high is a word mark, which says the name.
      expect(html).toContain('width="108" height="36" alt="Cabinet Aubry &#38; Associés"');
      expect(html).not.toMatch(/https?:|url\(|#2a3f9d|#a9b8ff/);
      expect(raw).toMatch(
        /multipart\/alternative[^]*text\/plain[^]*multipart\/related[^]*text\/html/,
      );
      expect(raw).toMatch(/Content-ID: <logo@paraphe>/);
      expect(raw).toMatch(/Content-Disposition: inline/);
      const [picture] = mail.attachments;
      expect(Buffer.from(picture?.content as ArrayBuffer)).toEqual(logo);
      const invitation = (await receive("invitation")).mail;
      expect(invitation.from?.name).toBe("Paul Martin via Cabinet Aubry");
      expect(invitation.replyTo?.[0]?.address).not.toBe("contact@cabinet-aubry.fr");
      expect(invitation.html).toMatch(/class="button"[^>]*background:#6b1f3a/);
    } finally {
      await platform.db.deleteFrom("organisations").execute();
      platform.clock.advance({ seconds: 6 });
    }
  });

  describe.each(KINDS)("the mail %s, as a server received it", (kind) => {
    let got: ReceivedMail;
    beforeAll(async () => {
      got = await receive(kind);
    });

    test("has its words in both parts", () => {
      const [subject, sentence, link] = EXPECTED_MAILS[kind];
      const { text = "", html = "" } = got.mail;
      expect(got.mail.subject).toBe(subject);
      expect(text.replaceAll("\r\n", "\n")).toContain(sentence);
      expect(text).toContain("Bonjour Zoë Œuvrard,");
      expect(html).toContain("Bonjour Zoë Œuvrard,");
      expect(signature(text.replaceAll("\r\n", "\n"))).toBe(true);
      if (link === null) return expect(html).not.toContain('class="button"');
      expect(text).toContain(link);
      expect(html).toContain(
        link.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
      );
    });

    test("is addressed and marked as a message of a service", () => {
      expect(got.envelope).toEqual({ from: "paraphe@exemple.fr", to: [ZOE.address] });
      expect(got.mail.to).toMatchObject([{ name: ZOE.fullName, address: ZOE.address }]);
      expect(got.mail.from?.address).toBe("paraphe@exemple.fr");
      expect(got.mail.messageId).toMatch(/^<[0-9a-f-]{36}@localhost>$/);
      const header = (key: string) => got.mail.headers.find((line) => line.key === key)?.value;
      expect(header("auto-submitted")).toBe("auto-generated");
      expect(header("mime-version")).toBe("1.0");
      expect(header("date")).toBeDefined();
      // RFC 2369 is for lists, and a signer is on none.
      expect(header("list-unsubscribe")).toBeUndefined();
    });

    test("is plain text first, then HTML, in UTF-8, with lines that every server takes", () => {
      const { raw } = got;
      expect(raw).toMatch(/^Content-Type: multipart\/alternative;/m);
      expect(raw.indexOf("Content-Type: text/plain; charset=utf-8")).toBeGreaterThan(0);
      expect(raw.indexOf("Content-Type: text/html; charset=utf-8")).toBeGreaterThan(
        raw.indexOf("Content-Type: text/plain; charset=utf-8"),
      );
      expect(/^[\x00-\x7f]*$/.test(raw)).toBe(true);
      const [headers = ""] = raw.split("\r\n\r\n");
      // RFC 5322 §2.1.1 recommends 78 and allows 998.
      expect(Math.max(...raw.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998);
      for (const line of headers.split("\r\n").filter((folded) => !folded.startsWith("Message-ID")))
        expect(line.length).toBeLessThanOrEqual(78);
      expect(raw.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    });

    test("is readable in the dark, is in French, and fetches nothing", () => {
      const { html = "" } = got.mail;
      expect(html).toContain('<html lang="fr">');
      expect(html).toContain('<meta name="color-scheme" content="light dark">');
      expect(html).toContain("@media (prefers-color-scheme:dark)");
      expect(html).not.toMatch(
        /<(img|script|link|iframe|form|video|audio|object)|\ssrc=|url\(|@import|@font-face|https?:[^"]*\.(png|gif|jpg)/i,
      );
      const attached = got.mail.attachments.map(({ filename }) => filename);
      expect(attached).toEqual(kind === "checkpoint" ? [NOTICE_SAMPLES.checkpoint.file.name] : []);
    });
  });

  test("the mail with the code holds no link, in the raw message either", async () => {
    const { mail, raw } = await receive("code");
    expect(`${mail.text}${mail.html}`).not.toMatch(/https?:|www\.|href|@exemple|localhost/i);
    expect(raw).not.toMatch(/https?:/i);
  });

  describe("names and titles that look like something else", () => {
    const evil = 'Zoë "la vive" Œuvrard, SARL <zoe@mechant.example>\r\nBcc: victime@exemple.fr';

    test("names and titles add no recipient, sender or header", async () => {
      const content = {
        ...NOTICE_SAMPLES.invitation,
        senderName: evil,
        envelopeTitle: `Bail\r\nX-Mal: 1\r\n\r\n<p>`,
      };
      const got = await receive("invitation", {
        to: { fullName: evil, address: ZOE.address },
        content,
      });
      expect(got.envelope.to).toEqual([ZOE.address]);
      expect(got.mail.to).toHaveLength(1);
      expect(got.mail.to?.[0]).toMatchObject({ address: ZOE.address });
      expect(got.mail.to?.[0]?.name).toContain('Zoë "la vive" Œuvrard, SARL');
      expect(got.mail.from).toMatchObject({
        address: "paraphe@exemple.fr",
        name: expect.stringContaining("via Paraphe"),
      });
      expect(got.mail.bcc).toBeUndefined();
      expect(got.mail.headers.map(({ key }) => key)).not.toContain("x-mal");
      expect(got.mail.subject).toMatch(/^Document à signer\u00a0: Bail/);
    });

    test.each([
      ["Jean-Noël d’Ormesson"],
      ["Nguyễn Thị Minh Khai"],
      ["Лев Толстой"],
      ["李小龍 🖋"],
      ["O'Brien, Sean (Dublin)"],
      ['"Anne"'],
      ["a@b.fr"],
    ])("the name « %s » arrives unchanged", async (fullName) => {
      const got = await receive("signed", { to: { fullName, address: ZOE.address } });
      expect(got.mail.to).toEqual([{ name: fullName, address: ZOE.address }]);
      expect(got.mail.text).toContain(`Bonjour ${fullName},`);
    });

    test("a name that looks like an encoded word arrives as written", async () => {
      const hidden = "=?utf-8?Q?Banque_=3Cservice=40banque.example=3E?=";
      const content = { ...NOTICE_SAMPLES.invitation, senderName: hidden, envelopeTitle: hidden };
      const { mail } = await receive("invitation", {
        to: { fullName: hidden, address: ZOE.address },
        content,
      });
      for (const shown of [mail.to?.[0]?.name, mail.from?.name, mail.subject]) {
        expect(shown).not.toContain("Banque <");
        expect(shown?.replaceAll("\u2060", "")).toContain(hidden);
      }
    });

    test("a long title is cut in the subject, never between the halves of a character", async () => {
      const envelopeTitle =
        `${"Contrat de prestation de services – été ".repeat(4)}🖋${"é".repeat(200)}`.slice(0, 199);
      const got = await receive("invitation", {
        content: { ...NOTICE_SAMPLES.invitation, envelopeTitle },
      });
      expect(Array.from(got.mail.subject ?? "").length).toBeLessThan(105);
      expect(got.mail.subject).toMatch(/…$/);
      expect(got.mail.text).toContain(envelopeTitle);
    });

    test("a message of one endless line, and one with dots alone on theirs, arrive whole", async () => {
      const message = `${"très".repeat(450)}\n.\n..\nfin`;
      const got = await receive("invitation", {
        content: { ...NOTICE_SAMPLES.invitation, message },
      });
      expect(got.mail.text?.replaceAll("\r\n", "\n")).toContain(
        `> ${"très".repeat(450)}\n> .\n> ..\n> fin`,
      );
      expect(Math.max(...got.raw.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(
        998,
      );
    });
  });

  test("the completed mail carries several files, names kept whole, under 10 MB together", async () => {
    const files = await Promise.all(
      ["Bail d’été (signé).pdf", "Annexe n° 2, plan.pdf"].map(async (name) => {
        const bytes = new TextEncoder().encode(`%PDF-1.7 ${name}`);
        return {
          name,
          sha256: Buffer.from(await platform.files.put(bytes)).toString("hex"),
          sizeBytes: bytes.length,
        };
      }),
    );
    const got = await receive("completed", {
      content: { ...NOTICE_SAMPLES.completed, attachments: files },
    });
    expect(got.mail.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual(
      files.map(({ name }) => [name, "application/pdf"]),
    );
    expect(got.raw).toMatch(/^Content-Type: multipart\/mixed;/m);
  });
});

describe("the deliveries that are shown", () => {
  let envelopeId: string;
  let recipientId: string;
  let count = 0;
  beforeEach(() => {
    server.received.length = 0;
    server.answers.length = 0;
    envelopeId = platform.newId();
    recipientId = platform.newId();
  });

  const token = (name: string) => new Uint8Array(createHash("sha256").update(name).digest());

  async function ask(values: Partial<Notice> = {}): Promise<string> {
    count += 1;
    platform.clock.advance({ seconds: 1 });
    const dedupeKey = `suivi:${count}`;
    const notice = {
      kind: "invitation",
      channel: "email",
      dedupeKey,
      to: { fullName: "Zoë Œuvrard", address: "zoe@exemple.fr" },
      envelopeId,
      recipientId,
      content: NOTICE_SAMPLES.invitation,
      ...values,
    } as Notice;
    await platform.db.transaction().execute((trx) => enqueueNotice(trx, platform, notice));
    return dedupeKey;
  }
  const deliveries = async () =>
    (await loadDeliveries(platform.db, envelopeId)).own.get(recipientId) ?? [];

  test("a message is followed from the queue to the link that its reader opened", async () => {
    await ask({ linkSha256: token("lien") });
    expect(await deliveries()).toMatchObject([
      { state: "queued", subject: null, ended_at: null, opened_at: null, tries: 0, failure: null },
    ]);
    await platform.settle();
    const sentAt = platform.clock().toISOString();
    expect(await deliveries()).toMatchObject([
      {
        kind: "invitation",
        channel: "email",
        destination: "zoe@exemple.fr",
        subject: server.received[0]?.mail.subject,
        state: "sent",
        ended_at: sentAt,
        tries: 1,
        opened_at: null,
      },
    ]);
    platform.clock.advance({ minutes: 5 });
    await recordArrival(platform.db, platform, { linkSha256: token("autre") });
    expect((await deliveries())[0]?.state).toBe("sent");
    const openedAt = platform.clock().toISOString();
    await recordArrival(platform.db, platform, { linkSha256: token("lien") });
    platform.clock.advance({ minutes: 5 });
    await recordArrival(platform.db, platform, { linkSha256: token("lien") });
    expect(await deliveries()).toMatchObject([
      { state: "delivered", opened_at: openedAt, ended_at: sentAt },
    ]);
  });

  test("the first link of two says which message arrived", async () => {
    await ask({ linkSha256: token("premier") });
    await ask({ kind: "reminder", content: NOTICE_SAMPLES.reminder, linkSha256: token("second") });
    await platform.settle();
    await recordArrival(platform.db, platform, { linkSha256: token("premier") });
    expect((await deliveries()).map(({ kind, state }) => [kind, state])).toEqual([
      ["reminder", "sent"],
      ["invitation", "delivered"],
    ]);
  });

  test("a code that came back had been delivered", async () => {
    const dedupeKey = await ask({ kind: "code", content: NOTICE_SAMPLES.code });
    await platform.settle();
    await recordArrival(platform.db, platform, { dedupeKey });
    expect(await deliveries()).toMatchObject([
      { kind: "code", subject: null, state: "delivered", opened_at: null },
    ]);
  });

  test("a message whose server took it and lost its answer is not sent again once its link was opened", async () => {
    server.answers.push({ at: "data", code: 451, words: "4.3.0 encore" });
    await ask({ linkSha256: token("perdu") });
    await platform.settle({ failures: "keep" });
    expect(await deliveries()).toMatchObject([
      { state: "queued", tries: 1, server_answer: "451 4.3.0 encore" },
    ]);
    await recordArrival(platform.db, platform, { linkSha256: token("perdu") });
    await platform.settle({ deferred: "run" });
    expect(server.received).toHaveLength(0);
    expect(await deliveries()).toMatchObject([
      { state: "delivered", ended_at: platform.clock().toISOString() },
    ]);
  });

  test("a 550 is explained in French, with the server's words beside it", async () => {
    server.answers.push({ at: "rcpt", code: 550, words: "5.1.1 No such user" });
    await ask();
    await platform.settle();
    expect(await deliveries()).toMatchObject([
      {
        state: "refused",
        ended_at: platform.clock().toISOString(),
        server_answer: "550 5.1.1 No such user",
        failure: { code: "unknown_address", detail: "adresse inconnue" },
      },
    ]);
  });

  test("withdrawing one recipient's requests leaves the others', and what is no request", async () => {
    const other = platform.newId();
    await ask();
    await ask({ kind: "cancelled", content: NOTICE_SAMPLES.cancelled });
    await ask({ recipientId: other });
    await platform.db
      .transaction()
      .execute((trx) =>
        writeTogether(trx, [withdrawNotices(platform, { envelopeId, recipientId })]),
      );
    const all = (await loadDeliveries(platform.db, envelopeId)).own;
    expect(all.get(recipientId)?.map(({ kind, state }) => [kind, state])).toEqual([
      ["cancelled", "queued"],
      ["invitation", "withdrawn"],
    ]);
    expect(all.get(other)).toMatchObject([{ state: "queued" }]);
    await platform.settle();
  });

  test("ten messages a recipient are shown, the newest first, and nobody else's", async () => {
    for (let index = 0; index < 12; index++) await ask();
    await ask({ recipientId: null, userId: platform.newId() });
    const shown = await deliveries();
    expect(shown).toHaveLength(10);
    expect(shown.map(({ created_at }) => created_at)).toEqual(
      shown
        .map(({ created_at }) => created_at)
        .toSorted()
        .toReversed(),
    );
    expect((await loadDeliveries(platform.db, envelopeId)).own.size).toBe(1);
    await platform.settle();
  });
});
