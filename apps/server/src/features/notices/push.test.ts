import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createMember } from "../../../testing/member.ts";
import { NOTICE_SAMPLES } from "../../../testing/notice-samples.ts";
import type { TestBrowserPush } from "../../../testing/servers/push-receiver.ts";
import {
  openPushStage,
  PERSONAL_WORDS,
  type PushStage,
  TOLD_ENVELOPE,
} from "../../../testing/stages/push-stage.ts";
import { enqueueNotice, enqueueNotices } from "./enqueue-notice.ts";
import { endSubscriptions } from "./run-outbox.ts";
import { type Member, pushesBeside } from "./notices-for-member.ts";
import { listPushSubscriptions } from "./push-store.ts";
import { subscribeToPush } from "./subscribe-to-push.ts";

let stage: PushStage;
let smtp: PushStage["smtp"];
let receiver: PushStage["receiver"];
let gatewayAnswers: PushStage["gatewayAnswers"];
let platform: PushStage["platform"];
let account: PushStage["account"];
let member: PushStage["member"];
let subscribe: PushStage["subscribe"];
let enqueue: PushStage["enqueue"];
let rowsOf: PushStage["rowsOf"];
let tell: PushStage["tell"];

beforeAll(async () => {
  stage = await openPushStage();
  ({ smtp, receiver, gatewayAnswers, platform, account, member, subscribe, enqueue, rowsOf, tell } =
    stage);
});

afterAll(() => stage.close());
afterEach(() => stage.clear());

describe("deliveries by push", () => {
  describe("an account's owner", () => {
    test("an owner gets one message on each chosen channel that reaches them", async () => {
      await subscribe();
      const phone = { verifiedPhone: "+33612345678" };
      const rows = await tell(member({ email: true, sms: true, push: true }, phone));
      expect(
        rows.map((row) => [row.dedupe_key.replace(/event:\d+/, "E"), row.channel, row.destination]),
      ).toEqual([
        ["E", "email", account.email],
        ["E:sms", "sms", "+33612345678"],
        ["E:push", "push", account.email],
      ]);
      await platform.settle();
      expect(receiver.received).toHaveLength(1);
      expect(smtp.received).toHaveLength(1);
      expect((await tell(member({ sms: true }, phone))).map(({ channel }) => channel)).toEqual([
        "sms",
      ]);
    });

    test("an owner gets a mail when no chosen channel reaches them", async () => {
      for (const channels of [{ push: true }, { sms: true }, { sms: true, push: true }])
        expect((await tell(member(channels))).map(({ channel }) => channel)).toEqual(["email"]);
    });

    test.each([
      [{ sms: true }],
      [{ sms: true, push: true }],
      // Mail is a chosen channel.
      [{ email: true, sms: true }],
    ])("an owner gets one mail when the gateway refuses the number: %j", async (channels) => {
      await subscribe();
      gatewayAnswers.status = 422;
      await tell(member(channels, { verifiedPhone: "+33600000000" }));
      await platform.settle();
      gatewayAnswers.status = 202;
      expect(smtp.received.map((got) => got.envelope.to)).toEqual([[account.email]]);
    });

    test("an owner gets one message of an event that is reported twice", async () => {
      await subscribe();
      const notice = {
        kind: "signed",
        dedupeKey: "twice",
        envelopeId: TOLD_ENVELOPE,
        content: NOTICE_SAMPLES.signed,
      } as const;
      for (let time = 0; time < 2; time++) await enqueue(member({ push: true }), notice);
      await platform.settle();
      expect(receiver.received).toHaveLength(1);
    });
  });

  describe("a push message", () => {
    test("each browser of an owner gets a push with words and a path, no link, token or code", async () => {
      const browsers = [await subscribe(), await subscribe()];
      const [row] = await tell(member({ push: true }), { kind: "completed" });
      await platform.settle();
      expect(receiver.received.map(({ path }) => path).sort()).toEqual(
        browsers.map(({ target }) => new URL(target.endpoint).pathname).sort(),
      );
      expect(JSON.parse(receiver.received[0]?.text ?? "")).toEqual({
        title: expect.stringContaining("Document signé par tous"),
        body: "Toutes les signatures sont recueillies.",
        url: `/signature/detail/${TOLD_ENVELOPE}`,
      });
      expect(receiver.received[0]?.text).not.toMatch(/token|https?:/);
      expect((await rowsOf(row?.dedupe_key ?? ""))[0]).toMatchObject({
        state: "sent",
        server_answer: "201",
      });
      expect(smtp.received).toHaveLength(0);
    });

    test.each([404, 410])(
      "to a subscription answered %i forgets it; with none left, its words go by mail",
      async (status) => {
        await subscribe();
        const [row] = await tell(member({ push: true }));
        receiver.answers.push({ status });
        await platform.settle();
        expect(await listPushSubscriptions(platform.db, account.id)).toEqual([]);
        expect(smtp.received.map((got) => [got.envelope.to, got.mail.subject])).toEqual([
          [[account.email], expect.stringContaining("Zoë Œuvrard a signé")],
        ]);
        const rows = await rowsOf(row?.dedupe_key.replace(":push", "") ?? "");
        expect(rows.map(({ channel, state }) => [channel, state])).toEqual([
          ["email", "sent"],
          ["push", "refused"],
        ]);
      },
    );

    test("a push that one browser took is not mailed, though another's subscription ended", async () => {
      const [gone, living] = [await subscribe(), await subscribe()];
      await tell(member({ push: true }));
      // Requests come in any order; both leave one living subscription.
      receiver.answers.push({ status: 410 });
      await platform.settle();
      const left = (await listPushSubscriptions(platform.db, account.id)).map(
        ({ endpoint }) => endpoint,
      );
      expect(left).toHaveLength(1);
      expect([gone.target.endpoint, living.target.endpoint]).toContain(left[0]);
      expect(receiver.received).toHaveLength(1);
      expect(smtp.received).toHaveLength(0);
    });

    test.each([429, 500, 503])(
      "put off by a %i is tried again for that browser alone, and taken once by each",
      async (status) => {
        await subscribe();
        await subscribe();
        const [row] = await tell(member({ push: true }));
        receiver.answers.push({ status });
        await platform.settle();
        expect(receiver.received).toHaveLength(1);
        await platform.settle({ deferred: "run" });
        expect(new Set(receiver.received.map(({ path }) => path)).size).toBe(2);
        expect(receiver.received).toHaveLength(2);
        expect((await rowsOf(row?.dedupe_key ?? ""))[0]).toMatchObject({ state: "sent", tries: 2 });
      },
    );

    test("a push that no service took in 4 hours goes by mail, once", async () => {
      await subscribe();
      const [row] = await tell(member({ push: true }));
      receiver.answers.push({ status: 503, body: "plus tard" });
      await platform.settle();
      platform.clock.advance({ hours: 4, seconds: 1 });
      await platform.settle({ deferred: "run" });
      await platform.settle({ deferred: "run" });
      expect(smtp.received).toHaveLength(1);
      expect(receiver.received).toHaveLength(0);
      expect((await rowsOf(row?.dedupe_key ?? ""))[0]?.server_answer).toBe(
        "Délai de remise dépassé. Dernière réponse\u00a0: 503",
      );
    });

    test("a push given up after one browser took it counts as sent", async () => {
      await subscribe();
      await subscribe();
      const [row] = await tell(member({ push: true }));
      receiver.answers.push({ status: 503 });
      await platform.settle();
      platform.clock.advance({ hours: 4, seconds: 1 });
      await platform.settle({ deferred: "run" });
      expect((await rowsOf(row?.dedupe_key ?? ""))[0]?.state).toBe("sent");
      expect(smtp.received).toHaveLength(0);
    });

    test("a failed push is not mailed when a mail or text said the same", async () => {
      await subscribe();
      await tell(member({ email: true, push: true }));
      receiver.answers.push({ status: 410 });
      await platform.settle();
      expect(smtp.received).toHaveLength(1);
    });

    test("a waiting push's words are unreadable in the database", async () => {
      await subscribe();
      const [row] = await tell(member({ push: true }));
      const stored = await platform.db
        .selectFrom("notices")
        .selectAll()
        .where("id", "=", row?.id ?? "")
        .executeTakeFirstOrThrow();
      expect(Buffer.from(stored.content_wrapped ?? []).includes("Bail")).toBe(false);
      await platform.settle();
    });
  });

  describe("beside an invitation, which goes by mail whatever anybody chose", () => {
    const invite = async (told: Member, dedupeKey: string) =>
      platform.db.transaction().execute(async (trx) => {
        const common = {
          kind: "invitation",
          dedupeKey,
          envelopeId: TOLD_ENVELOPE,
          content: NOTICE_SAMPLES.invitation,
        } as const;
        await enqueueNotice(trx, platform, {
          ...common,
          channel: "email",
          to: { fullName: told.fullName, address: told.email },
        });
        const notice = {
          ...common,
          recipientId: "01990000-0000-7000-8000-00000000000f",
          linkSha256: new Uint8Array(32),
        };
        await enqueueNotices(
          trx,
          platform,
          await pushesBeside(trx, platform, [{ member: told, notice }]),
        );
      });

    test("an invited owner who chose push gets one with a path that needs the session, never the link", async () => {
      await subscribe();
      await invite(member({ push: true }), "invitation:push");
      await platform.settle();
      expect(smtp.received).toHaveLength(1);
      expect(JSON.parse(receiver.received[0]?.text ?? "").url).toBe(
        `/signature/sign/${TOLD_ENVELOPE}`,
      );
      expect(receiver.received[0]?.text).not.toContain("token");
      // The sender does not see it.
      expect(
        await platform.db
          .selectFrom("notices")
          .select("id")
          .where("recipient_id", "is not", null)
          .execute(),
      ).toEqual([]);
    });

    test("an invited owner without push or browser gets none, and a failed one is not mailed again", async () => {
      await invite(member({ push: true }), "invitation:none");
      await subscribe();
      await invite(member({ email: true }), "invitation:mail");
      await invite(member({ push: true }), "invitation:gone");
      receiver.answers.push({ status: 410 });
      await platform.settle();
      expect(receiver.received).toHaveLength(0);
      expect(smtp.received).toHaveLength(3);
    });
  });

  test("no address, endpoint, key or word is logged", () => {
    expect(platform.logged.length).toBeGreaterThan(0);
    expect(JSON.stringify(platform.logged)).not.toMatch(PERSONAL_WORDS);
  });
});

describe("push subscriptions", () => {
  async function waitingForLocks(): Promise<number> {
    const { rows } =
      await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        platform.owner,
      );
    return rows.length;
  }

  describe("a subscription", () => {
    test("a subscription is one per endpoint, and the eleventh replaces the first", async () => {
      const first = await subscribe();
      await subscribe(first);
      expect(await listPushSubscriptions(platform.db, account.id)).toHaveLength(1);
      const others: TestBrowserPush[] = [];
      for (let count = 0; count < 10; count++) others.push(await subscribe());
      expect(
        (await listPushSubscriptions(platform.db, account.id)).map(({ endpoint }) => endpoint),
      ).toEqual(others.map(({ json }) => json.endpoint));
    });

    test("a subscription whose session ended gets nothing, and pending messages go by mail", async () => {
      await subscribe();
      const [before] = await tell(member({ push: true }));
      expect(before?.channel).toBe("push");
      await platform.db
        .updateTable("sessions")
        .set({ expires_at: platform.clock() })
        .where("user_id", "=", account.id)
        .execute();
      expect((await tell(member({ push: true }))).map(({ channel }) => channel)).toEqual(["email"]);
      await platform.settle();
      expect([receiver.received.length, smtp.received.length]).toEqual([0, 2]);
      expect(await listPushSubscriptions(platform.db, account.id)).toHaveLength(1);
      await endSubscriptions(platform);
      expect(await listPushSubscriptions(platform.db, account.id)).toEqual([]);
    });

    test("a subscription is refused in an ended, expired or foreign session", async () => {
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
          .values({
            id: sessionId,
            remembered: false,
            means: "password",
            created_at: now,
            last_used_at: now,
            ...values,
          })
          .execute();
        const outcome = await subscribeToPush(platform, {
          userId: account.id,
          sessionId,
          subscription: receiver.subscribe().json,
        });
        expect(outcome).toMatchObject({ ok: false, error: { code: "session_expired" } });
      }
      expect(await listPushSubscriptions(platform.db, account.id)).toEqual([]);
    });

    test("a subscription made while its session ends waits for that end, and is refused", async () => {
      const now = platform.clock();
      const sessionId = platform.newId();
      const expiresAt = new Date(now.getTime() + 1_000);
      await platform.db
        .insertInto("sessions")
        .values({
          id: sessionId,
          user_id: account.id,
          remembered: false,
          means: "password",
          created_at: now,
          last_used_at: now,
          expires_at: expiresAt,
        })
        .execute();
      const { asked } = await platform.db.transaction().execute(async (trx) => {
        await trx
          .updateTable("sessions")
          .set({ revoked_at: now })
          .where("id", "=", sessionId)
          .execute();
        const asking = subscribeToPush(platform, {
          userId: account.id,
          sessionId,
          subscription: receiver.subscribe().json,
        });
        await expect.poll(() => waitingForLocks()).toBe(1);
        return { asked: asking };
      });
      expect(await asked).toMatchObject({ ok: false, error: { code: "session_expired" } });
      expect(await listPushSubscriptions(platform.db, account.id)).toEqual([]);
    });

    test("a subscription's secret is unreadable in the database", async () => {
      const browser = await subscribe();
      const row = await platform.db
        .selectFrom("push_subscriptions")
        .selectAll()
        .executeTakeFirstOrThrow();
      expect(
        Buffer.from(row.auth_secret_wrapped).includes(Buffer.from(browser.target.authSecret)),
      ).toBe(false);
    });

    test("a subscription whose key is no point of the curve is refused", async () => {
      const { json } = receiver.subscribe();
      for (const p256dh of [
        `A${json.keys.p256dh.slice(1)}`,
        `${json.keys.p256dh.slice(0, -4)}AAAA`,
      ]) {
        const subscription = { ...json, keys: { ...json.keys, p256dh } };
        const outcome = await subscribeToPush(platform, {
          userId: account.id,
          sessionId: platform.newId(),
          subscription,
        });
        expect(outcome).toMatchObject({
          ok: false,
          error: { code: "validation", errors: { "keys.p256dh": [expect.any(String)] } },
        });
      }
    });
  });

  test("no address, endpoint, key or word is logged", () => {
    expect(platform.logged.length).toBeGreaterThan(0);
    expect(JSON.stringify(platform.logged)).not.toMatch(PERSONAL_WORDS);
  });
});
