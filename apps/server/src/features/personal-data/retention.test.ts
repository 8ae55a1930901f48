import {
  ACCOUNT_NOTICE_DAYS,
  CODE_TRACE_HOURS,
  ENDED_LINK_DAYS,
  ENDED_SESSION_DAYS,
  IDEMPOTENCY_HOURS,
  MAILBOX_DAYS,
  PENDING_ACCOUNT_DAYS,
  PURGE_AFTER_DAYS,
  RETENTION_RULES,
  SESSION_HOURS,
  THROTTLE_DAYS,
} from "@paraphe/contracts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest } from "../../../testing/guest.ts";
import { createMember, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";
import { sweepPlatform } from "../../platform/maintenance.ts";
import { sweepAccounts } from "../accounts/jobs.ts";
import { purgeDue } from "../envelopes/jobs.ts";
import { endSubscriptions, sweepNotices } from "../notices/jobs.ts";
import { sweepGuests } from "../signing/jobs.ts";

/** A point of P-256: RFC 8291, appendix A. */
const BROWSER_KEY = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
let service: TestApp;
beforeAll(async () => {
  service = await createTestApp();
});
afterAll(() => service.close());
// Rows are counted whole: each test begins with none, on the same day.
beforeEach(async () => {
  service.platform.clock.set(new Date("2026-11-21T10:00:00.000Z"));
  await sql`truncate users, envelopes, notices, mailbox_messages, throttles, login_failures, idempotency_keys cascade`.execute(
    service.platform.owner,
  );
});

async function count(table: string): Promise<number> {
  const row = await service.platform.db
    .selectFrom(table as "users")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
/** Counts rows a minute before a moment's sweep and a minute after it. */
async function aroundEnd(
  table: string,
  after: { hours?: number; days?: number },
  sweep: () => Promise<unknown>,
): Promise<[number, number]> {
  const { clock } = service.platform;
  clock.advance(after);
  clock.advance({ minutes: -1 });
  await sweep();
  const before = await count(table);
  clock.advance({ minutes: 2 });
  await sweep();
  return [before, await count(table)];
}

describe("what is kept goes when its time is over", () => {
  test("a session and its tokens, a day after their end", async () => {
    await signIn(service, await createMember(service.platform));
    const sweep = () => sweepAccounts(service.platform);
    expect(await aroundEnd("sessions", { hours: SESSION_HOURS, days: ENDED_SESSION_DAYS }, sweep)).toEqual([1, 0]);
    expect(await count("session_tokens")).toBe(0);
  });

  test("a browser's subscription to push messages, at the end of its session", async () => {
    const browser = await signIn(service, await createMember(service.platform));
    const keys = { p256dh: BROWSER_KEY, auth: "A".repeat(22) };
    await browser.post("/api/signature/me/push-subscriptions/", { endpoint: "https://push.exemple.fr/1", keys });
    const end = () => endSubscriptions(service.platform);
    expect(await aroundEnd("push_subscriptions", { hours: SESSION_HOURS }, end)).toEqual([1, 0]);
  });

  test("a link, a week after its end", async () => {
    const member = await createMember(service.platform);
    await openBrowser(service.app).post("/api/signature/password-reset/", { email: member.email });
    await service.settle();
    const sweep = () => sweepAccounts(service.platform);
    expect(await aroundEnd("account_tokens", { hours: 24, days: ENDED_LINK_DAYS }, sweep)).toEqual([1, 0]);
  });

  test("an account that nobody activated, after a week", async () => {
    await createMember(service.platform, { activated: false });
    expect(await aroundEnd("users", { days: PENDING_ACCOUNT_DAYS }, () => sweepAccounts(service.platform))).toEqual([1, 0]);
  });

  test("the count of wrong passwords, after half an hour", async () => {
    await openBrowser(service.app).post("/api/token/", { username: "personne", password: "faux" });
    expect(await count("login_failures")).toBeGreaterThan(0);
    service.platform.clock.advance({ minutes: 31 });
    await sweepAccounts(service.platform);
    expect(await count("login_failures")).toBe(0);
  });

  test("the windows of throttles, after two days", async () => {
    await openBrowser(service.app).post("/api/signature/password-reset/", { email: "personne@exemple.fr" });
    expect(await count("throttles")).toBeGreaterThan(0);
    service.platform.clock.advance({ days: THROTTLE_DAYS, hours: 1 });
    await sweepPlatform(service.platform);
    expect(await count("throttles")).toBe(0);
  });

  test("an answer kept for an Idempotency-Key, after a day", async () => {
    const browser = await signIn(service, await createMember(service.platform));
    await browser.post(`${ENVELOPES}00000000-0000-7000-8000-000000000000/cancel/`, {}, { headers: { "idempotency-key": "un" } });
    expect(await aroundEnd("idempotency_keys", { hours: IDEMPOTENCY_HOURS }, () => sweepPlatform(service.platform))).toEqual([1, 0]);
  });

  test("the local mailbox's messages, after a week", async () => {
    const member = await createMember(service.platform);
    await openBrowser(service.app).post("/api/signature/password-reset/", { email: member.email });
    await service.settle();
    expect(await aroundEnd("mailbox_messages", { days: MAILBOX_DAYS }, () => sweepPlatform(service.platform))).toEqual([1, 0]);
  });

  test("the trace of a message about an account, after 90 days; an envelope's stays with it", async () => {
    const member = await createMember(service.platform);
    await createSent(await signIn(service, member), { recipients: [PAUL] });
    await openBrowser(service.app).post("/api/signature/password-reset/", { email: member.email });
    await service.settle();
    expect(await aroundEnd("notices", { days: ACCOUNT_NOTICE_DAYS }, () => sweepNotices(service.platform))).toEqual([2, 1]);
  });

  test("the trace of an account's last mail, the night after", async () => {
    const browser = await signIn(service, await createMember(service.platform));
    expect((await browser.send("DELETE", "/api/signature/me/", { body: { password: MEMBER_PASSWORD } })).status).toBe(204);
    await sweepNotices(service.platform);
    expect(await count("notices")).toBe(1);
    await service.settle();
    await sweepNotices(service.platform);
    expect(await count("notices")).toBe(0);
  });

  test("a guest's session at its end, a code after the day that is counted", async () => {
    const envelope = await createSent(await signIn(service, await createMember(service.platform)), { recipients: [PAUL] });
    await (await openMailedGuest(service, envelope.id, PAUL.email)).confirm();
    const sweep = () => sweepGuests(service.platform);
    expect([await count("guest_sessions"), await count("one_time_codes")]).toEqual([1, 1]);
    service.platform.clock.advance({ minutes: 61 });
    await sweep();
    expect([await count("guest_sessions"), await count("one_time_codes")]).toEqual([0, 1]);
    service.platform.clock.advance({ hours: CODE_TRACE_HOURS });
    await sweep();
    expect(await count("one_time_codes")).toBe(0);
  });

  test("a cancelled envelope, after ten days", async () => {
    const browser = await signIn(service, await createMember(service.platform));
    const { id } = await createSent(browser, { recipients: [PAUL] });
    await browser.post(`${ENVELOPES}${id}/cancel/`);
    const purged = async () =>
      (await service.platform.db.selectFrom("envelopes").select("purged_at").executeTakeFirstOrThrow()).purged_at !== null;
    service.platform.clock.advance({ days: PURGE_AFTER_DAYS, minutes: -1 });
    await purgeDue(service.platform);
    expect(await purged()).toBe(false);
    service.platform.clock.advance({ minutes: 2 });
    await purgeDue(service.platform);
    expect(await purged()).toBe(true);
  });
});

test("each line of the table of what is kept says what, why, on what ground and how long, once", () => {
  expect(new Set(RETENTION_RULES.map(({ id }) => id)).size).toBe(RETENTION_RULES.length);
  for (const rule of RETENTION_RULES) for (const text of Object.values(rule)) expect(text).not.toBe("");
  expect(RETENTION_RULES.map(({ id }) => id)).toEqual(expect.arrayContaining(["profile", "sessions", "evidence", "notices"]));
});
