import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { endRetention, expireOverdue, purgeDue } from "./jobs.ts";
import { remindDue } from "./remind-automatically.ts";
import { warnDeadlines } from "./warn-deadline.ts";

let service: TestApp;
let browser: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  // A Monday, when people are at work.
  service.platform.clock.set(new Date("2026-11-23T10:00:00Z"));
  browser = await signIn(service, await createMember(service.platform));
  await sql`create table poisoned (envelope_id uuid primary key)`.execute(service.platform.owner);
  await sql`
    create function poison() returns trigger language plpgsql as $$
    begin
      if exists (select from poisoned p where p.envelope_id = new.envelope_id) then raise exception 'poison'; end if;
      return new;
    end $$`.execute(service.platform.owner);
  await sql`create trigger poison before insert on audit_events for each row execute function poison()`.execute(service.platform.owner);
});
afterAll(() => service.close());

/** Two envelopes as due as one another; nothing can be written about the one that comes first. */
async function firstPoisoned(due: (id: string, place: number) => Promise<unknown>): Promise<string[]> {
  const ids: string[] = [];
  for (const place of [0, 1]) {
    const { id } = await createSent(browser, { recipients: [PAUL] });
    await due(id, place);
    ids.push(id);
  }
  await sql`insert into poisoned values (${ids[0]}::uuid)`.execute(service.platform.db);
  return ids;
}
const change = (id: string, set: Record<string, unknown>) =>
  service.platform.db.updateTable("envelopes").set(set).where("id", "=", id).execute();
const before = (days: number, place = 0) => new Date(service.platform.clock().getTime() - days * 86_400_000 + place * 1_000);

const JOBS = [
  ["closed at its deadline", expireOverdue, (id: string, place: number) => change(id, { deadline_at: before(1, place) })],
  [
    "purged after its ten days",
    purgeDue,
    async (id: string, place: number) => {
      await browser.post(`${ENVELOPES}${id}/cancel/`);
      await change(id, { cancelled_at: before(40, place) });
    },
  ],
  [
    "erased when its retention is over",
    endRetention,
    (id: string, place: number) => change(id, { status: "expired", updated_at: before(4_000, place) }),
  ],
  ["warned of", warnDeadlines, (id: string, place: number) => change(id, { sent_at: before(9), deadline_at: before(-0.9, place) })],
  [
    "reminded of",
    remindDue,
    async (id: string, place: number) => {
      await change(id, { remind_every_days: 1, next_reminder_at: before(0.1, place) });
      await service.platform.db
        .updateTable("recipients")
        .set({ asked_at: before(9) })
        .where("envelope_id", "=", id)
        .execute();
    },
  ],
] as const;

test.each(JOBS)("an envelope that fails keeps no other from being %s", async (_what, run, due) => {
  await firstPoisoned(due);
  expect(await run(service.platform)).toBe(1);
  expect(await run(service.platform)).toBe(0);
});
