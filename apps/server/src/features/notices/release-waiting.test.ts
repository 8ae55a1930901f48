import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openWaitingStage, SIGNED, type WaitingStage } from "../../../testing/waiting-stage.ts";
import { releaseWaiting } from "./release-waiting.ts";

const MORNING = "2026-11-22T07:00:00.000Z";
let stage: WaitingStage;
beforeAll(async () => {
  stage = await openWaitingStage();
});
afterAll(() => stage.close());
beforeEach(() => stage.begin());

/** Puts messages in the outbox that wait, and that nobody can read. */
const hold = (count: number, reason: "quiet" | "summary", age = 0) =>
  sql`insert into notices (id, dedupe_key, kind, channel, destination, message_id, user_id, content_wrapped, held_for, not_before, state, created_at)
    select gen_random_uuid(), 'held:' || ${reason}::text || n, 'signed', 'email', 'c@exemple.fr', 'm', ${stage.account.id}::uuid, '\\x00',
      ${reason}, ${MORNING}::timestamptz, 'queued', ${MORNING}::timestamptz - make_interval(hours => 20 - ${age}::int, secs => n)
    from generate_series(1, ${count}::int) n`.execute(stage.platform.db);
const held = async () =>
  Number(
    (
      await stage.platform.db
        .selectFrom("notices")
        .select((eb) => eb.fn.countAll().as("count"))
        .where("held_for", "is not", null)
        .where("state", "=", "queued")
        .where("summary_id", "is", null)
        .executeTakeFirstOrThrow()
    ).count,
  );

test("many messages go by a thousand; the one that another process holds is left to it, and goes the next time", async () => {
  await hold(2_100, "quiet");
  stage.at(MORNING);
  const sizes: number[] = [];
  const enqueueAll = async (_trx: unknown, _name: string, jobs: readonly unknown[]) => void sizes.push(jobs.length);
  const counting = { ...stage.platform, queue: { ...stage.platform.queue, enqueueAll } };
  await stage.platform.db.transaction().execute(async (other) => {
    await sql`select 1 from notices where dedupe_key = 'held:quiet7' for update`.execute(other);
    await releaseWaiting(counting);
  });
  expect(sizes).toEqual([1_000, 1_000, 99]);
  expect(await held()).toBe(1);
  await releaseWaiting(counting);
  expect(await held()).toBe(0);
});

test("a line that cannot be read is set apart, refused, and said by its id; the others go", async () => {
  await stage.choose({ daily_summary: true });
  await stage.tell();
  // More than a mail lists, all of them newer than the one that can be read.
  await hold(120, "summary", 15);
  stage.at(MORNING);
  await stage.release();
  const [got, ...others] = await stage.arrived();
  expect(others).toEqual([]);
  expect(got?.mail.text).toContain(SIGNED);
  expect(await held()).toBe(0);
  const refused = await stage.platform.db
    .selectFrom("notices")
    .select(["server_answer", "content_wrapped"])
    .distinct()
    .where("state", "=", "refused")
    .execute();
  expect(refused).toEqual([{ server_answer: "Contenu illisible.", content_wrapped: null }]);
});

test("nothing but lines that cannot be read is no mail, and no failure", async () => {
  await hold(1, "summary");
  stage.at(MORNING);
  await stage.release();
  expect(await stage.subjects()).toEqual([]);
  expect(await held()).toBe(0);
});

test.each([
  [101, "et 1 autre, à voir dans votre tableau de bord"],
  [103, "et 3 autres, à voir dans votre tableau de bord"],
])("a summary of %i events lists the 100 newest and counts the others, which are sent with it", async (count, words) => {
  await stage.choose({ daily_summary: true });
  for (let n = 1; n <= count; n++) await stage.tell("expired", { envelopeTitle: `Bail ${n}.` });
  await sql`update notices set created_at = created_at - make_interval(secs => (${count} - substring(dedupe_key from '[0-9]+')::int))`.execute(
    stage.platform.db,
  );
  stage.at(MORNING);
  await stage.release();
  const [got, ...others] = await stage.arrived();
  expect(others).toEqual([]);
  expect(got?.mail.subject).toBe(`Résumé quotidien\u00a0: ${count} notifications`);
  const html = got?.mail.html ?? "";
  expect(html.match(/<li /g)).toHaveLength(101);
  expect(html).not.toContain(`Bail ${count - 100}.`);
  expect(html).toContain(`Bail ${count - 99}.`);
  expect(html).toContain(`<a class="accent" href="${stage.platform.settings.publicUrl}/dashboard" style="color:#2a3f9d">${words}</a></li>`);
  expect(got?.mail.text?.replaceAll("\r\n", "\n")).toContain(
    `- ${words}\n  ${stage.platform.settings.publicUrl}/dashboard\n\nMes notifications`,
  );
  const states = await stage.platform.db.selectFrom("notices").select("state").distinct().execute();
  expect(states).toEqual([{ state: "sent" }]);
});
