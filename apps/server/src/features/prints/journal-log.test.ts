import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestApp } from "../../../testing/app.ts";
import { openProven, PRINTS, type Proven } from "../../../testing/proven-envelope.ts";
import { makeCheckpoint } from "../transparency/index.ts";
import { createTrust } from "../trust/index.ts";

let proven: Proven;
beforeEach(async () => {
  proven = await openProven();
}, 60_000);
afterEach(() => proven.test.close());

const page = async () => (await proven.anybody.get(`${PRINTS}${proven.print.id}/verify/?sig=${proven.print.sig}`)).body;

async function change(...statements: readonly ReturnType<typeof sql>[]): Promise<void> {
  await proven.test.platform.owner.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    for (const statement of statements) await statement.execute(trx);
  });
}

it("an envelope whose leaves were given to another, hours after its end, is not valid: the log should hold it", async () => {
  const { test, envelope } = proven;
  await test.settle({ deferred: "run" });
  expect(await page()).toMatchObject({ verdict: "valid", inclusion: { entry: { envelope_id: envelope.id } } });
  await change(sql`update transparency_leaves set envelope_id = ${test.platform.newId()} where envelope_id = ${envelope.id}`);
  test.platform.clock.advance({ hours: 3 });
  expect(await page()).toMatchObject({
    verdict: "indeterminate",
    inclusion: null,
    reason: expect.stringContaining("ne la couvrait pas à temps"),
  });
});

it("an envelope that has just ended waits for the log without harm", async () => {
  proven.test.platform.clock.advance({ minutes: 50 });
  expect(await page()).toMatchObject({ verdict: "valid" });
});

it("a leaf whose path leads to another root makes the verdict invalid", async () => {
  const { test } = proven;
  await test.settle({ deferred: "run" });
  await change(
    sql`update transparency_checkpoints set root = sha256(root) where number = (select max(number) from transparency_checkpoints)`,
  );
  expect(await page()).toMatchObject({ verdict: "invalid" });
});

it("a log that another service's seal signed makes the verdict invalid", async () => {
  const { test } = proven;
  const other = await createTestApp();
  try {
    await test.settle({ deferred: "run" });
    await change(
      sql`delete from transparency_checkpoints`,
      sql`delete from transparency_nodes`,
      sql`delete from transparency_leaves`,
      sql`delete from transparency_due`,
      sql`insert into transparency_due (envelope_id, sequence, head) select envelope_id, sequence, hash from audit_events e
        where sequence = (select max(sequence) from audit_events l where l.envelope_id = e.envelope_id)`,
    );
    await makeCheckpoint({ platform: test.platform, trust: await createTrust(other.platform) });
    const said = await page();
    expect([said.verdict, said.inclusion === null]).toEqual(["invalid", false]);
  } finally {
    await other.close();
  }
});
