import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { NOTICE_SAMPLES } from "../../../testing/notice-samples.ts";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../testing/smtp-server.ts";
import { deliverNotice } from "./deliver-notice.ts";
import type { Notice } from "./domain/notice.ts";
import { enqueueNotice } from "./enqueue-notice.ts";
import { registerNoticeJobs, sweepNotices } from "./jobs.ts";
import { loadDeliveries } from "./load-deliveries.ts";
import { recordArrival } from "./record-arrival.ts";
import { withdrawNotices } from "./withdraw-notices.ts";

let server: TestSmtpServer;
let platform: TestPlatform;
let envelopeId: string;
let recipientId: string;
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
const deliveries = async () => (await loadDeliveries(platform.db, envelopeId)).get(recipientId) ?? [];

test("a message is followed from the queue to the link that its reader opened", async () => {
  await ask({ linkSha256: token("lien") });
  expect(await deliveries()).toMatchObject([{ state: "queued", ended_at: null, opened_at: null, tries: 0, failure: null }]);
  await platform.settle();
  const sentAt = platform.clock().toISOString();
  expect(await deliveries()).toMatchObject([
    { kind: "invitation", channel: "email", destination: "zoe@exemple.fr", state: "sent", ended_at: sentAt, tries: 1, opened_at: null },
  ]);
  platform.clock.advance({ minutes: 5 });
  await recordArrival(platform.db, platform, { linkSha256: token("autre") });
  expect((await deliveries())[0]?.state).toBe("sent");
  const openedAt = platform.clock().toISOString();
  await recordArrival(platform.db, platform, { linkSha256: token("lien") });
  platform.clock.advance({ minutes: 5 });
  await recordArrival(platform.db, platform, { linkSha256: token("lien") });
  expect(await deliveries()).toMatchObject([{ state: "delivered", opened_at: openedAt, ended_at: sentAt }]);
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
  expect(await deliveries()).toMatchObject([{ kind: "code", state: "delivered", opened_at: null }]);
});

test("a message whose server took it and lost its answer is not sent again once its link was opened", async () => {
  server.answers.push({ at: "data", code: 451, words: "4.3.0 encore" });
  await ask({ linkSha256: token("perdu") });
  await platform.settle({ failures: "keep" });
  expect(await deliveries()).toMatchObject([{ state: "queued", tries: 1, server_answer: "451 4.3.0 encore" }]);
  await recordArrival(platform.db, platform, { linkSha256: token("perdu") });
  await platform.settle({ deferred: "run" });
  expect(server.received).toHaveLength(0);
  expect(await deliveries()).toMatchObject([{ state: "delivered", ended_at: platform.clock().toISOString() }]);
});

test("a 550 is told in French, with the server's words beside", async () => {
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
  await platform.db.transaction().execute((trx) => withdrawNotices(trx, platform, { envelopeId, recipientId }));
  const all = await loadDeliveries(platform.db, envelopeId);
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
  expect((await loadDeliveries(platform.db, envelopeId)).size).toBe(1);
  await platform.settle();
});

test("a message whose job was lost is given up by the night's round, so that the sender sees it", async () => {
  await ask();
  platform.clock.advance({ hours: 51 });
  await sweepNotices(platform);
  expect(await deliveries()).toMatchObject([{ state: "refused", failure: { code: "no_answer" } }]);
  await deliverNotice(platform, (await deliveries())[0]?.id ?? "");
  expect(server.received).toHaveLength(0);
});
