import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeJournal, writeJournals } from "../../apps/server/testing/journals.ts";
import { createTestPlatform, type TestPlatform } from "../../apps/server/testing/platform.ts";
import { makeCheckpoint } from "../../apps/server/src/features/journal/transparency/make-checkpoint.ts";
import { createTrust } from "../../apps/server/src/features/trust/public.ts";
import { runAudit } from "../../apps/cli/src/audit/run-audit.ts";

let platform: TestPlatform;
beforeEach(async () => {
  platform = await createTestPlatform();
});
afterEach(() => platform.close());

const checkpoint = async () => makeCheckpoint({ platform, trust: await createTrust(platform) });
const audit = async () => {
  const { code, lines } = await runAudit(platform, ["check"]);
  return { code, said: lines.join("\n") };
};
/** A service whose clock is `ms` behind. */
const earlier = (ms: number) => ({
  ...platform,
  clock: () => new Date(platform.clock().getTime() - ms),
});
const HOUR_MS = 3_600_000;
const LATE = "sa date est antérieure à un point de contrôle qui ne l’a pas";

test.each(["not in the log yet", "already in the log"])(
  "an audit finds a journal written now with past dates, %s",
  async (where) => {
    await writeJournals(platform, 2);
    await checkpoint();
    const id = platform.newId();
    await writeJournal(earlier(24 * HOUR_MS), id, 2);
    if (where === "already in the log") await checkpoint();
    const { code, said } = await audit();
    expect(code).toBe(1);
    for (const sequence of [1, 2])
      expect(said).toContain(`enveloppe ${id}, événement ${sequence}\u00a0: ${LATE}`);
  },
);

test("an audit finds an event inserted under an old date, before which the journal has later ones", async () => {
  const [id = ""] = await writeJournals(platform, 1);
  await checkpoint();
  await writeJournal(earlier(24 * HOUR_MS), id);
  const { code, said } = await audit();
  expect(code).toBe(1);
  expect(said).toContain(`enveloppe ${id}, événement 2\u00a0: ${LATE}`);
  expect(said).toContain(
    `enveloppe ${id}, événement 2\u00a0: sa date est antérieure à celle de l’événement qui le précède`,
  );
});

test("an audit accepts a clock an hour late, a missed checkpoint and a journal over several days", async () => {
  const [id = ""] = await writeJournals(platform, 2);
  await checkpoint();
  await writeJournal(earlier(HOUR_MS), id);
  await checkpoint();
  for (let day = 0; day < 3; day += 1) {
    platform.clock.advance({ hours: 24 });
    await writeJournal(platform, id);
    await writeJournals(platform, 1);
    if (day !== 1) await checkpoint();
  }
  // A leaf inserted behind the one that stands for its event proves no date.
  await writeJournal(platform, id, 2);
  await checkpoint();
  await sql`insert into transparency_leaves select (select max(leaf_index) + 1 from transparency_leaves), envelope_id, sequence, hash
    from audit_events e where envelope_id = ${id}::uuid and not exists (select from transparency_leaves l where l.envelope_id = e.envelope_id and l.sequence = e.sequence)
    order by sequence limit 1`.execute(platform.db);
  platform.clock.advance({ hours: 24 });
  await writeJournals(platform, 1);
  await checkpoint();
  expect(await audit()).toMatchObject({ code: 0 });
});
