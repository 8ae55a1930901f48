import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeJournals } from "../../apps/server/testing/journals.ts";
import { runAudit } from "../../apps/cli/src/audit/run-audit.ts";
import { type AuditStage, compiled, openAuditStage } from "../support/audit-stage.ts";

/** The SQL of `docs/operations/audit.md`: the log's end remade; a last checkpoint removed. */
let mendEnd: string;
let takeOutLast: string;
let stage: AuditStage;

beforeAll(async () => {
  const page = await readFile(new URL("../../docs/operations/audit.md", import.meta.url), "utf8");
  [mendEnd = "", takeOutLast = ""] = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(
    ([, text = ""]) => text,
  );
  stage = await openAuditStage();
}, 120_000);
afterAll(() => stage.close());

/** As a superuser, no trigger firing. */
const harm = (...statements: readonly string[]) =>
  stage.service.platform.owner.transaction().execute(async (trx) => {
    for (const statement of ["set local session_replication_role = replica", ...statements])
      await trx.executeQuery(compiled(statement));
  });
const asOwner = (text: string) =>
  stage.service.platform.owner.connection().execute(async (connection) => {
    for (const statement of statementsOf(text)) await connection.executeQuery(compiled(statement));
  });
/** Statements as psql splits them: a body between dollars is one. */
const statementsOf = (text: string) =>
  (text.match(/(?:\$\$[\s\S]*?\$\$|[^;])+;/g) ?? [])
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
const audit = () => runAudit(stage.service.platform, ["check", "--copies", stage.copies]);

const BOGUS_LEAF = `insert into transparency_leaves
  select max(leaf_index) + 1, gen_random_uuid(), 1, sha256('x') from transparency_leaves`;
const BOGUS_NODE =
  "insert into transparency_nodes select 1, max(leaf_index) / 2 + 1, sha256('x') from transparency_leaves";

test.each([
  ["leaves of no event at its end", [BOGUS_LEAF, BOGUS_LEAF], []],
  ["a node where the next one comes", [BOGUS_NODE], []],
  [
    "every node taken out or changed",
    [
      "delete from transparency_nodes where index = 0",
      "update transparency_nodes set hash = sha256(hash)",
    ],
    [],
  ],
  [
    "a head of nobody, and one that waits no more",
    ["update transparency_due set head = sha256(head)"],
    [],
  ],
  [
    "a checkpoint that nobody signed over a leaf of no event",
    [
      BOGUS_LEAF,
      "insert into transparency_checkpoints select number + 1, (select max(leaf_index) + 1 from transparency_leaves), root, at, key_id, 'x', timestamp_der from transparency_checkpoints order by number desc limit 1",
    ],
    ["the last checkpoint"],
  ],
] as const)(
  "a log broken by %s is mended by what the page says, and goes on",
  async (_what, statements, first) => {
    const { platform } = stage.service;
    await writeJournals(platform, 3);
    await harm(...statements);
    expect((await audit()).code).toBe(1);
    if (first.length > 0) await asOwner(takeOutLast);
    await asOwner(mendEnd);
    const mended = await audit();
    expect([mended.code, mended.lines.join("\n")]).toEqual([
      0,
      expect.stringContaining("Rien n’a été modifié"),
    ]);
    await stage.checkpoint();
    const { rows } = await sql<{ waiting: number; left: number }>`
    select (select count(*)::int from transparency_due) as waiting,
      (select max(leaf_index) + 1 from transparency_leaves) - (select max(size) from transparency_checkpoints) as left`.execute(
      platform.db,
    );
    expect(rows).toEqual([{ waiting: 0, left: 0 }]);
    expect((await audit()).code).toBe(0);
    // The triggers refuse again.
    await expect(
      sql.raw("delete from transparency_leaves").execute(platform.owner),
    ).rejects.toThrow("takes inserts only");
    await expect(
      sql.raw("delete from transparency_checkpoints").execute(platform.owner),
    ).rejects.toThrow("takes inserts only");
  },
);
