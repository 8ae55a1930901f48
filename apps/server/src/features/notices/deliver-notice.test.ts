import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { NOTICE_SAMPLES } from "../../../testing/notice-samples.ts";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../testing/smtp-server.ts";
import { DeliveryDeferredError, deliverNotice } from "./deliver-notice.ts";
import type { Notice } from "./domain/notice.ts";
import { enqueueNotice } from "./enqueue-notice.ts";
import { registerNoticeJobs, sweepNotices } from "./jobs.ts";
import { loadNotice } from "./store.ts";
import { withdrawNotices } from "./withdraw-notices.ts";

let server: TestSmtpServer;
let platform: TestPlatform;
let count = 0;

beforeAll(async () => {
  server = await startSmtpServer();
  platform = await createTestPlatform({ settings: { smtpUrl: server.url, mailFrom: "paraphe@exemple.fr" } });
  registerNoticeJobs(platform);
});
afterAll(async () => {
  await platform.close();
  await server.close();
});
afterEach(() => {
  server.received.length = 0;
  server.answers.length = 0;
});

function invitation(values: Partial<Extract<Notice, { kind: "invitation" }>> = {}): Extract<Notice, { kind: "invitation" }> {
  count += 1;
  const to = { fullName: "Zoë Œuvrard", address: `zoe${count}@exemple.fr` };
  return { kind: "invitation", channel: "email", dedupeKey: `invitation:${count}`, to, content: NOTICE_SAMPLES.invitation, ...values };
}

/** Enqueues in a transaction, and gives the stored row's id. */
async function enqueue(notice: Notice): Promise<string> {
  platform.clock.advance({ seconds: 0.001 });
  await platform.db.transaction().execute((trx) => enqueueNotice(trx, platform, notice));
  const { id } = await platform.db.selectFrom("notices").select("id").where("dedupe_key", "=", notice.dedupeKey).executeTakeFirstOrThrow();
  return id;
}

const stored = async (id: string) => (await loadNotice(platform.db, id)) ?? expect.fail("no such notice");

describe("a message", () => {
  test("goes by SMTP, once, from « Prénom Nom via Paraphe », and its content is emptied", async () => {
    const notice = invitation();
    const id = await enqueue(notice);
    await platform.settle();
    expect(server.received).toHaveLength(1);
    const [got] = server.received;
    expect(got?.envelope.to).toEqual([notice.to.address]);
    expect(got?.mail).toMatchObject({
      subject: "Document à signer\u00a0: Bail – 12 rue Haute <b>& Cie</b>",
      from: { name: "Paul Martin via Paraphe", address: "paraphe@exemple.fr" },
      replyTo: [{ address: "paul.martin@exemple.fr" }],
      messageId: `<${id}@localhost>`,
    });
    expect(got?.mail.text).toContain(NOTICE_SAMPLES.invitation.link);
    expect(got?.mail.html).toContain("Bonjour Zoë Œuvrard,");
    expect(await stored(id)).toMatchObject({
      state: "sent",
      tries: 1,
      contentWrapped: null,
      serverAnswer: "250 2.0.0 pris en charge",
      sentAt: platform.clock(),
    });
    await deliverNotice(platform, id);
    await platform.settle();
    expect(server.received).toHaveLength(1);
  });

  test("asked for twice under one key is one message, even twenty times at once", async () => {
    const notice = invitation();
    await Promise.all(Array.from({ length: 20 }, () => enqueue(notice)));
    await platform.settle();
    expect(server.received).toHaveLength(1);
  });

  test("asked for in a transaction that fails never was", async () => {
    const notice = invitation();
    const failing = platform.db.transaction().execute(async (trx) => {
      await enqueueNotice(trx, platform, notice);
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    await platform.settle();
    expect(server.received).toHaveLength(0);
  });

  test("keeps its link unreadable in the database while it waits", async () => {
    const id = await enqueue(invitation());
    const row = await stored(id);
    expect(Buffer.from(row.contentWrapped ?? []).includes("token=")).toBe(false);
    const jobs = await platform.db.selectFrom("notices").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    expect(JSON.stringify(jobs)).not.toContain("token=");
    await platform.settle();
  });

  test("refused by a 5xx is final, and the server's words are kept", async () => {
    server.answers.push({ at: "rcpt", code: 550, words: "5.1.1 adresse inconnue" });
    const id = await enqueue(invitation());
    await platform.settle();
    expect(await stored(id)).toMatchObject({
      state: "refused",
      tries: 1,
      serverAnswer: "550 5.1.1 adresse inconnue",
      contentWrapped: null,
      sentAt: null,
    });
    await platform.settle({ deferred: "run" });
    expect(server.received).toHaveLength(0);
    expect(platform.logged.at(-1)).toMatchObject({ level: "warn", fields: { noticeId: id, kind: "invitation", channel: "email" } });
  });

  test("put off by a 4xx goes later, under the same Message-ID", async () => {
    server.answers.push({ at: "data", code: 451, words: "4.7.1 liste grise" }, { at: "rcpt", code: 450, words: "4.2.0 encore" });
    const id = await enqueue(invitation());
    await expect(deliverNotice(platform, id)).rejects.toThrow(/deferred: 127\.0\.0\.1:\d+ EMESSAGE 451 4\.7\.1 \(DATA\)$/);
    expect(await stored(id)).toMatchObject({ state: "queued", tries: 1, serverAnswer: "451 4.7.1 liste grise" });
    await expect(deliverNotice(platform, id)).rejects.toThrow(DeliveryDeferredError);
    await platform.settle();
    expect(server.received.map((got) => got.mail.messageId)).toEqual([`<${id}@localhost>`]);
    expect(await stored(id)).toMatchObject({ state: "sent", tries: 3 });
  });

  test("put off is tried again by the queue itself", async () => {
    server.answers.push({ at: "data", code: 451, words: "4.7.1 liste grise" });
    const id = await enqueue(invitation());
    await platform.settle({ failures: "keep" });
    expect(server.received).toHaveLength(0);
    await platform.settle({ deferred: "run" });
    expect(await stored(id)).toMatchObject({ state: "sent", tries: 2 });
  });

  test("that no server took in 48 hours is given up, with the last words", async () => {
    const id = await enqueue(invitation());
    server.answers.push({ at: "data", code: 451, words: "4.7.1 liste grise" });
    await expect(deliverNotice(platform, id)).rejects.toThrow(DeliveryDeferredError);
    platform.clock.advance({ hours: 48, seconds: 1 });
    await deliverNotice(platform, id);
    expect(await stored(id)).toMatchObject({
      state: "refused",
      serverAnswer: "Délai de remise dépassé. Dernière réponse\u00a0: 451 4.7.1 liste grise",
      contentWrapped: null,
    });
    await platform.settle({ deferred: "run", failures: "keep" });
    expect(server.received).toHaveLength(0);
  });

  test("with a code is not sent once the code is dead", async () => {
    const id = await enqueue({ ...invitation(), kind: "code", channel: "email", content: NOTICE_SAMPLES.code });
    platform.clock.advance({ minutes: 10, seconds: 1 });
    await platform.settle();
    expect(server.received).toHaveLength(0);
    expect(await stored(id)).toMatchObject({ state: "refused", serverAnswer: "Délai de remise dépassé." });
  });

  test("of an envelope that closes meanwhile is withdrawn, if it has not left", async () => {
    const envelopeId = platform.newId();
    const [sent, waiting] = [invitation({ envelopeId }), invitation({ envelopeId })];
    const sentId = await enqueue(sent);
    await platform.settle();
    const waitingId = await enqueue(waiting);
    await enqueue({
      kind: "cancelled",
      channel: "email",
      dedupeKey: `cancelled:${envelopeId}`,
      to: sent.to,
      envelopeId,
      content: NOTICE_SAMPLES.cancelled,
    });
    await platform.db.transaction().execute((trx) => withdrawNotices(trx, platform, { envelopeId }));
    await platform.settle();
    expect(server.received.map((got) => got.mail.subject)).toEqual([
      expect.stringContaining("Document à signer"),
      expect.stringContaining("Demande annulée"),
    ]);
    expect(await stored(waitingId)).toMatchObject({ state: "withdrawn", contentWrapped: null, endedAt: platform.clock() });
    const rows = await platform.db
      .selectFrom("notices")
      .select(["id", "state"])
      .where("envelope_id", "=", envelopeId)
      .orderBy("created_at")
      .orderBy("id")
      .execute();
    expect(rows.map(({ id, state }) => [id === sentId, state])).toEqual([
      [true, "sent"],
      [false, "withdrawn"],
      [false, "sent"],
    ]);
  });

  test("of an unknown id is nothing to do", async () => {
    await deliverNotice(platform, platform.newId());
    expect(server.received).toHaveLength(0);
  });
});

describe("the mail of a completed envelope", () => {
  const completed = (attachments: readonly { name: string; sha256: string; sizeBytes: number }[]): Notice => ({
    ...invitation(),
    kind: "completed",
    content: { ...NOTICE_SAMPLES.completed, attachments },
  });

  test("carries the signed files under 10 MB", async () => {
    const bytes = new TextEncoder().encode("%PDF-1.7 signé");
    const sha256 = Buffer.from(await platform.files.put(bytes)).toString("hex");
    await enqueue(completed([{ name: "bail_signe.pdf", sha256, sizeBytes: bytes.length }]));
    await platform.settle();
    const [file] = server.received[0]?.mail.attachments ?? [];
    expect(file).toMatchObject({ filename: "bail_signe.pdf", mimeType: "application/pdf" });
    expect(Buffer.from(file?.content as ArrayBuffer).toString()).toBe("%PDF-1.7 signé");
  });

  test("goes with its link alone when they are heavier, or purged", async () => {
    await enqueue(completed([{ name: "lourd.pdf", sha256: "00".repeat(32), sizeBytes: 10 * 1024 * 1024 }]));
    await enqueue(completed([{ name: "purge.pdf", sha256: "00".repeat(32), sizeBytes: 5 }]));
    await platform.settle();
    expect(server.received.map((got) => got.mail.attachments.length)).toEqual([0, 0]);
    expect(server.received[0]?.mail.text).toContain(NOTICE_SAMPLES.completed.link);
  });
});

test("an SMS goes by the SMS transport, to its number", async () => {
  const to = { fullName: "Zoë Œuvrard", address: "+33612345678" };
  const id = await enqueue({ kind: "code", channel: "sms", dedupeKey: "code:sms", to, content: NOTICE_SAMPLES.code });
  await platform.settle();
  expect(server.received).toHaveLength(0);
  const message = await platform.db
    .selectFrom("mailbox_messages")
    .selectAll()
    .where("destination", "=", to.address)
    .executeTakeFirstOrThrow();
  expect(JSON.parse(message.content).text).toContain("482913 : code pour signer");
  expect((await stored(id)).state).toBe("sent");
});

test("messages about accounts are forgotten after 90 days; those of an envelope, and those that wait, stay", async () => {
  const [account, waiting] = [invitation(), invitation()];
  const ofEnvelope = await enqueue(invitation({ envelopeId: platform.newId() }));
  const accountId = await enqueue(account);
  await platform.settle();
  platform.clock.advance({ days: 89 });
  await sweepNotices(platform);
  expect(await loadNotice(platform.db, accountId)).not.toBeNull();
  const waitingId = await enqueue(waiting);
  platform.clock.advance({ days: 2 });
  await sweepNotices(platform);
  expect(await loadNotice(platform.db, accountId)).toBeNull();
  for (const id of [ofEnvelope, waitingId]) expect(await loadNotice(platform.db, id)).not.toBeNull();
});

test("no address, link or code is logged", () => {
  expect(JSON.stringify(platform.logged)).not.toMatch(/@|token|482/);
});
