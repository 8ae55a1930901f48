import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createMember } from "../../../testing/member.ts";
import type { TestBrowserPush } from "../../../testing/push-receiver.ts";
import { openPushStage, PERSONAL_WORDS, type PushStage } from "../../../testing/push-stage.ts";
import { endSubscriptions } from "./jobs.ts";
import { listPushSubscriptions } from "./push-store.ts";
import { subscribeToPush } from "./subscribe-to-push.ts";

let stage: PushStage;
let smtp: PushStage["smtp"];
let receiver: PushStage["receiver"];
let platform: PushStage["platform"];
let account: PushStage["account"];
let member: PushStage["member"];
let subscribe: PushStage["subscribe"];
let tell: PushStage["tell"];

beforeAll(async () => {
  stage = await openPushStage();
  ({ smtp, receiver, platform, account, member, subscribe, tell } = stage);
});
afterAll(() => stage.close());
afterEach(() => stage.clear());

async function waitingForLocks(): Promise<number> {
  const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    platform.owner,
  );
  return rows.length;
}

describe("a subscription", () => {
  test("is one per endpoint, and the eleventh browser takes the place of the first", async () => {
    const first = await subscribe();
    await subscribe(first);
    expect(await listPushSubscriptions(platform.db, account.id)).toHaveLength(1);
    const others: TestBrowserPush[] = [];
    for (let count = 0; count < 10; count++) others.push(await subscribe());
    expect((await listPushSubscriptions(platform.db, account.id)).map(({ endpoint }) => endpoint)).toEqual(
      others.map(({ json }) => json.endpoint),
    );
  });

  test("says nothing more once its session is over, swept or not: what was on its way goes by mail", async () => {
    await subscribe();
    const [before] = await tell(member({ push: true }));
    expect(before?.channel).toBe("push");
    await platform.db.updateTable("sessions").set({ expires_at: platform.clock() }).where("user_id", "=", account.id).execute();
    expect((await tell(member({ push: true }))).map(({ channel }) => channel)).toEqual(["email"]);
    await platform.settle();
    expect([receiver.received.length, smtp.received.length]).toEqual([0, 2]);
    expect(await listPushSubscriptions(platform.db, account.id)).toHaveLength(1);
    await endSubscriptions(platform);
    expect(await listPushSubscriptions(platform.db, account.id)).toEqual([]);
  });

  test("is refused in a session that was ended, is over, or is another's", async () => {
    const now = platform.clock();
    const other = await createMember(platform);
    const cases = [
      { user_id: account.id, revoked_at: now, expires_at: new Date(now.getTime() + 1_000) },
      { user_id: account.id, revoked_at: null, expires_at: now },
      { user_id: other.id, revoked_at: null, expires_at: new Date(now.getTime() + 1_000) },
    ];
    for (const values of cases) {
      const sessionId = platform.newId();
      await platform.db
        .insertInto("sessions")
        .values({ id: sessionId, remembered: false, created_at: now, last_used_at: now, ...values })
        .execute();
      const outcome = await subscribeToPush(platform, { userId: account.id, sessionId, subscription: receiver.subscribe().json });
      expect(outcome).toMatchObject({ ok: false, error: { code: "session_expired" } });
    }
    expect(await listPushSubscriptions(platform.db, account.id)).toEqual([]);
  });

  test("asked for while its session is being ended waits for that end, and is refused", async () => {
    const now = platform.clock();
    const sessionId = platform.newId();
    const expiresAt = new Date(now.getTime() + 1_000);
    await platform.db
      .insertInto("sessions")
      .values({ id: sessionId, user_id: account.id, remembered: false, created_at: now, last_used_at: now, expires_at: expiresAt })
      .execute();
    const { asked } = await platform.db.transaction().execute(async (trx) => {
      await trx.updateTable("sessions").set({ revoked_at: now }).where("id", "=", sessionId).execute();
      const asking = subscribeToPush(platform, { userId: account.id, sessionId, subscription: receiver.subscribe().json });
      await expect.poll(() => waitingForLocks()).toBe(1);
      return { asked: asking };
    });
    expect(await asked).toMatchObject({ ok: false, error: { code: "session_expired" } });
    expect(await listPushSubscriptions(platform.db, account.id)).toEqual([]);
  });

  test("is kept with its secret unreadable", async () => {
    const browser = await subscribe();
    const row = await platform.db.selectFrom("push_subscriptions").selectAll().executeTakeFirstOrThrow();
    expect(Buffer.from(row.auth_secret_wrapped).includes(Buffer.from(browser.target.authSecret))).toBe(false);
  });

  test("whose key is no point of the curve is refused", async () => {
    const { json } = receiver.subscribe();
    for (const p256dh of [`A${json.keys.p256dh.slice(1)}`, `${json.keys.p256dh.slice(0, -4)}AAAA`]) {
      const subscription = { ...json, keys: { ...json.keys, p256dh } };
      const outcome = await subscribeToPush(platform, { userId: account.id, sessionId: platform.newId(), subscription });
      expect(outcome).toMatchObject({ ok: false, error: { code: "validation", errors: { "keys.p256dh": [expect.any(String)] } } });
    }
  });
});

test("no address, endpoint, key or word is logged", () => {
  expect(platform.logged.length).toBeGreaterThan(0);
  expect(JSON.stringify(platform.logged)).not.toMatch(PERSONAL_WORDS);
});
