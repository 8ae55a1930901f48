import { inTransaction, writeTogether } from "../../platform/database/in-transaction.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { NOTICE_SAMPLES } from "../../../testing/notice-samples.ts";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../testing/smtp-server.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Worker } from "../../platform/queue/create-queue.ts";
import { type Lane, LANES, type Notice } from "./domain/notice.ts";
import { enqueueNotices, withdrawNotices, LEASE_S, openIntake } from "./enqueue-notice.ts";
import { claimNotices } from "./outbox-store.ts";
import { createOutbox } from "./run-outbox.ts";

/** Longer than a second look; a commit whose wake-up was lost is found after five seconds. */
const WITHIN = { timeout: 15_000, interval: 20 };
const AT_ONCE = LANES["notices.mail"].atOnce;
const EVERYTHING = new Map((Object.keys(LANES) as Lane[]).map((lane) => [lane, 1_000]));

let server: TestSmtpServer;
let platform: TestPlatform;
const running: Worker[] = [];

beforeAll(async () => {
  server = await startSmtpServer();
  platform = await createTestPlatform({
    settings: { smtpUrl: server.url, mailFrom: "paraphe@exemple.fr", rateLimits: "off" },
  });
});
beforeEach(async () => {
  await platform.db.deleteFrom("notices").execute();
  server.received.length = 0;
  server.slow.clear();
});
afterEach(async () => {
  for (const worker of running.splice(0)) await worker.stop();
});
afterAll(async () => {
  await platform.close();
  await server.close();
});

function start(on: Platform = platform): Worker {
  const worker = createOutbox(on);
  running.push(worker);
  worker.start();
  return worker;
}

const invitation = (name: string, values: Partial<Extract<Notice, { kind: "invitation" }>> = {}) =>
  ({
    kind: "invitation",
    channel: "email",
    dedupeKey: `invitation:${name}`,
    to: { fullName: "Zoë Œuvrard", address: addressOf(name) },
    content: NOTICE_SAMPLES.invitation,
    ...values,
  }) as const satisfies Notice;
const addressOf = (name: string) => `${name}@exemple.fr`;
const many = (count: number, name: string, values = {}) =>
  Array.from({ length: count }, (_, index) => invitation(`${name}${index}`, values));

async function enqueue(notices: readonly Notice[]): Promise<void> {
  platform.clock.advance({ seconds: 0.1 });
  await platform.db.transaction().execute((trx) => enqueueNotices(trx, platform, notices));
}

const arrived = () => server.received.map(({ envelope }) => envelope.to[0]?.split("@")[0] ?? "");
async function states(): Promise<Readonly<Record<string, string>>> {
  const rows = await platform.db.selectFrom("notices").select(["destination", "state"]).execute();
  return Object.fromEntries(
    rows.map(({ destination, state }) => [destination.split("@")[0], state]),
  );
}
const countSent = async () =>
  Object.values(await states()).filter((state) => state === "sent").length;

/**
 * Queues more messages to slow recipients than are sent at once; gives the function that lets their
 * server answer.
 */
async function fillPlaces(count: number, values = {}): Promise<() => void> {
  const slow = many(count, "lent", values);
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const { to } of slow) server.slow.set(to.address, promise);
  const before = server.offered();
  await enqueue(slow);
  await expect.poll(() => server.offered() - before, WITHIN).toBe(AT_ONCE);
  return resolve;
}

describe("the outbox", () => {
  test("fifty mails of another process leave with few statements", async () => {
    let statements = 0;
    const db = platform.db.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    start({ ...platform, db });
    await enqueue(many(50, "invite"));
    await expect.poll(countSent, WITHIN).toBe(50);
    expect(new Set(arrived()).size).toBe(50);
    expect(server.received).toHaveLength(50);
    expect(statements).toBeLessThan(30);
  });

  test("a file that several mails of a commit carry is read once, and whole in each", async () => {
    const bytes = new TextEncoder().encode("%PDF-1.7 signé ".repeat(10_000));
    const sha256 = Buffer.from(await platform.files.put(bytes)).toString("hex");
    let reads = 0;
    const get: Platform["files"]["get"] = (name) => {
      reads += 1;
      return platform.files.get(name);
    };
    start({ ...platform, files: { ...platform.files, get } });
    const file = { name: "bail signé.pdf", sha256, sizeBytes: bytes.length };
    const content = { ...NOTICE_SAMPLES.completed, attachments: [file] };
    const mails = many(3, "copie").map((one) => ({ ...one, kind: "completed", content }) as Notice);
    await enqueue(mails);
    await expect.poll(countSent, WITHIN).toBe(3);
    expect(reads).toBe(1);
    for (const { mail } of server.received) {
      expect(mail.attachments[0]?.filename).toBe("bail signé.pdf");
      expect(Buffer.from(mail.attachments[0]?.content as ArrayBuffer).equals(bytes)).toBe(true);
    }
  });

  test("several processes share the work, and nobody gets a mail twice", async () => {
    for (let count = 0; count < 3; count++) start();
    for (let round = 0; round < 10; round++) await enqueue(many(10, `tour${round}-`));
    await expect.poll(countSent, WITHIN).toBe(100);
    expect(server.received).toHaveLength(100);
  });

  test("what a dead process had claimed is sent once its lease has passed, under the same Message-ID", async () => {
    await enqueue([invitation("repris")]);
    const [claimed] = await claimNotices(platform.db, { free: EVERYTHING });
    start();
    await enqueue([invitation("autre")]);
    await expect.poll(countSent, WITHIN).toBe(1);
    expect(arrived()).toEqual(["autre"]);
    await sql`update notices set next_try_at = next_try_at - make_interval(secs => ${LEASE_S}) where state = 'queued'`.execute(
      platform.db,
    );
    await expect.poll(countSent, WITHIN).toBe(2);
    expect(server.received.at(-1)?.mail.messageId).toBe(claimed?.messageId);
  });

  test("a slow recipient's server delays nobody else, and no second mail goes to it", async () => {
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    server.slow.set(addressOf("lent"), promise);
    start();
    await enqueue([invitation("lent"), ...many(20, "rapide")]);
    await expect.poll(countSent, WITHIN).toBe(20);
    expect(await states()).toMatchObject({ lent: "queued" });
    await sql`update notices set next_try_at = now() where state = 'queued'`.execute(platform.db);
    await enqueue([invitation("suivant")]);
    await expect.poll(countSent, WITHIN).toBe(21);
    answer();
    await expect.poll(countSent, WITHIN).toBe(22);
    expect(arrived().filter((name) => name === "lent")).toHaveLength(1);
  });

  test("senders take turns, and a code waits for no sender's hundred", async () => {
    const [anne, bruno] = [platform.newId(), platform.newId()];
    start();
    await enqueue(many(100, "anne", { senderId: anne }));
    const code = {
      ...invitation("code"),
      kind: "code",
      channel: "email",
      content: NOTICE_SAMPLES.code,
    } as const;
    await enqueue([code, invitation("bruno", { senderId: bruno })]);
    await expect.poll(countSent, WITHIN).toBe(102);
    expect(arrived().indexOf("code")).toBeLessThan(30);
    expect(arrived().indexOf("bruno")).toBeLessThan(60);
  });

  test("a mail that is withdrawn while it waits for its turn is not sent", async () => {
    const envelopeId = platform.newId();
    start();
    const answer = await fillPlaces(AT_ONCE + 3, { envelopeId });
    await platform.db
      .transaction()
      .execute((trx) => writeTogether(trx, [withdrawNotices(platform, { envelopeId })]));
    await sleep(1_200);
    answer();
    await expect.poll(() => server.received.length, WITHIN).toBe(AT_ONCE);
    await enqueue([invitation("suivant")]);
    await expect.poll(countSent, WITHIN).toBe(1);
    expect(server.received).toHaveLength(AT_ONCE + 1);
  });

  test("a stop waits for what is being sent and gives back the rest untried", async () => {
    const worker = start();
    const answer = await fillPlaces(AT_ONCE + 2);
    const stopped = worker.stop();
    answer();
    await stopped;
    expect(await countSent()).toBe(AT_ONCE);
    const rest = await platform.db
      .selectFrom("notices")
      .select(["tries", "may_have_left"])
      .where("state", "=", "queued")
      .execute();
    expect(rest).toEqual([1, 2].map(() => ({ tries: 0, may_have_left: false })));
    expect(await claimNotices(platform.db, { free: EVERYTHING })).toHaveLength(2);
  });
});

describe("messages claimed by their commit", () => {
  const commit = (notices: readonly Notice[], after = async () => {}) =>
    inTransaction(platform.db, async (trx) => {
      await enqueueNotices(trx, platform, notices);
      await after();
    });
  /** Gives the names whose lease has not passed. */
  const claimed = async () => {
    const { rows } = await sql<{ name: string }>`
      select split_part(destination, '@', 1) as name from notices
      where state = 'queued' and may_have_left and next_try_at > now() order by 1`.execute(
      platform.db,
    );
    return rows.map(({ name }) => name);
  };

  test("leave without a claim, once committed and not before", async () => {
    start();
    await sleep(300);
    const before = server.offered();
    const query = vi.spyOn(pg.Client.prototype, "query");
    await commit([invitation("un"), invitation("deux")], async () => {
      await sleep(300);
      expect(server.offered()).toBe(before);
    });
    await expect.poll(countSent, WITHIN).toBe(2);
    const texts = query.mock.calls.map(([asked]) => JSON.stringify(asked));
    query.mockRestore();
    expect(texts.filter((text) => text.includes("skip locked"))).toEqual([]);
    expect(arrived().toSorted()).toEqual(["deux", "un"]);
  });

  test("go back with their transaction", async () => {
    start();
    const failing = commit([invitation("un")], async () => {
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    await sleep(300);
    expect([arrived(), await states()]).toEqual([[], {}]);
  });

  test("are due again where the process died after the commit", async () => {
    const end = openIntake(platform.db, { room: () => 10, take() {} });
    await commit([invitation("orphelin")]);
    end();
    expect(await claimed()).toEqual(["orphelin"]);
    start();
    await sleep(300);
    expect(arrived()).toEqual([]);
    await sql`update notices set next_try_at = now()`.execute(platform.db);
    await expect.poll(arrived, WITHIN).toEqual(["orphelin"]);
  });

  test("are those that find a place at once; the others wait for their turn, delayed ones for theirs", async () => {
    const taken: string[] = [];
    const end = openIntake(platform.db, {
      room: () => 2,
      take: (notices) => taken.push(...notices.map(({ destination }) => destination)),
    });
    await commit(many(3, "trop"));
    expect([await claimed(), taken]).toEqual([[], []]);
    const rhythm = { quietHours: false, dailySummary: true };
    const delayed = { ...invitation("demain"), kind: "signed", content: NOTICE_SAMPLES.signed };
    await commit([invitation("un"), invitation("deux"), { ...delayed, rhythm } as Notice]);
    end();
    expect([await claimed(), taken.map((to) => to.split("@")[0])]).toEqual([
      ["deux", "un"],
      ["un", "deux"],
    ]);
  });

  test("messages over their budget leave no trace of a departure", async () => {
    const limited = { ...platform, settings: { ...platform.settings, rateLimits: "on" } } as const;
    const senderId = platform.newId();
    let taken = 0;
    const end = openIntake(platform.db, {
      room: () => 10,
      take: ({ length }) => (taken += length),
    });
    for (let number = 0; number <= 100; number += 1)
      await inTransaction(platform.db, (trx) =>
        enqueueNotices(trx, limited, [
          { ...invitation("insistant"), dedupeKey: `invitation:${number}`, senderId },
        ]),
      );
    end();
    expect(taken).toBe(100);
    const refused = await platform.db
      .selectFrom("notices")
      .select(["server_answer", "may_have_left"])
      .where("state", "=", "refused")
      .execute();
    expect(refused).toEqual([{ server_answer: "too_many", may_have_left: false }]);
  });
});

describe("the lanes", () => {
  test.each([
    ["invitation", "email", "notices.mail"],
    ["completed", "email", "notices.mail"],
    ["password_changed", "email", "notices.mail"],
    ["code", "email", "notices.mail-awaited"],
    ["activation", "email", "notices.mail-awaited"],
    ["already_registered", "email", "notices.mail-awaited"],
    ["reset", "email", "notices.mail-awaited"],
    ["address_confirmation", "email", "notices.mail-awaited"],
    ["invitation", "sms", "notices.text"],
    ["code", "sms", "notices.text-awaited"],
    ["phone_code", "sms", "notices.text-awaited"],
    ["invitation", "push", "notices.push"],
    ["trial", "push", "notices.push"],
  ] as const)("%s by %s leaves by %s", async (kind, channel, lane) => {
    const content = NOTICE_SAMPLES[kind];
    await enqueue([{ ...invitation(`${kind}-${channel}`), kind, channel, content } as Notice]);
    const claimed = await claimNotices(platform.db, { free: EVERYTHING });
    expect(claimed.map((notice) => notice.lane)).toEqual([lane]);
  });

  test("each sender's first message goes before anybody's second", async () => {
    const [anne, bruno] = [platform.newId(), platform.newId()];
    for (const one of many(3, "anne", { senderId: anne })) await enqueue([one]);
    for (const one of many(2, "personne", { senderId: null })) await enqueue([one]);
    await enqueue(many(1, "bruno", { senderId: bruno }));
    const free = new Map([["notices.mail", 4]] as const);
    const claimed = await claimNotices(platform.db, { free });
    expect(claimed.map(({ destination }) => destination.split("@")[0])).toEqual([
      "anne0",
      "personne0",
      "bruno0",
      "anne1",
    ]);
  });
});
