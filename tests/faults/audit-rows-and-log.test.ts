import { afterAll, beforeAll, expect, test } from "vitest";
import {
  BATCH_MARK,
  BATCH_PLACE,
  batchPdf,
  signBatch,
} from "../../apps/server/testing/batch-calls.ts";
import { multipart, type TestBrowser } from "../../apps/server/testing/browser.ts";
import {
  createDraft,
  createSent,
  ELOISE,
  ENVELOPES,
  PAUL,
} from "../../apps/server/testing/envelope.ts";
import { asOperator, FORGED_ROWS, REMOVED_ROWS } from "../../apps/server/testing/forged-rows.ts";
import { openConfirmedGuest, signAsGuest } from "../../apps/server/testing/guest.ts";
import { createMember, signIn } from "../../apps/server/testing/member.ts";
import { completeEnvelope, printOf } from "../../apps/server/testing/proven-envelope.ts";
import { makePdf, SCRIPT } from "../../apps/server/testing/pdf.ts";
import { recipientCalls } from "../../apps/server/testing/recipient-calls.ts";
import { type AuditStage, compiled, openAuditStage } from "../support/audit-stage.ts";
import { writeJournal, writeJournals } from "../../apps/server/testing/journals.ts";
import type { Database } from "../../apps/server/src/platform/database/database.ts";
import { checkJournals, checkLog } from "../../apps/cli/src/audit/check-log.ts";
import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { runAudit } from "../../apps/cli/src/audit/run-audit.ts";

let stage: AuditStage;
let id: string;
beforeAll(async () => {
  stage = await openAuditStage();
  const test = stage.service;
  const owner = await signIn(test, await createMember(test.platform));
  const envelope = await completeEnvelope({ test, owner });
  await printOf(owner, envelope);
  ({ id } = envelope);
  await sendHonestOnes(owner);
  await test.settle({ deferred: "run" });
  await stage.checkpoint();
}, 120_000);
afterAll(() => stage.close());

/** Makes every honest state: drafts, refusals, ends, a purge, a self-signed document. */
async function sendHonestOnes(owner: TestBrowser): Promise<void> {
  const test = stage.service;
  await createDraft(owner);
  const dropped = await createDraft(owner, { proof_only: true });
  await owner.post(`${ENVELOPES}${dropped.id}/cancel/`);
  const declined = await createSent(owner, { recipients: [PAUL, ELOISE] });
  await signAsGuest(test, declined.id, PAUL.email);
  const guest = await openConfirmedGuest(test, declined.id, ELOISE.email);
  expect((await guest.post("decline/", { reason: "Trop cher." })).status).toBe(200);
  const purged = await completeEnvelope({ test, owner });
  await owner.post(`/api/signature/envelopes/${purged.id}/cancel/`);
  expect((await owner.send("DELETE", `/api/signature/envelopes/${purged.id}/purge/`)).status).toBe(
    204,
  );
  const moved = await createSent(owner, {
    recipients: [{ ...PAUL, phone_number: "06 11 22 33 44" }, ELOISE],
    deadline_at: "2026-12-20T10:00:00Z",
  });
  const first = { ...moved, recipients: moved.recipients.slice(0, 1) };
  const change = { email: "paul@ailleurs.fr", phone_number: "" };
  await openConfirmedGuest(test, moved.id, PAUL.email);
  expect((await recipientCalls(test, () => owner).correct(first, change)).status).toBe(200);
  test.platform.clock.advance({ minutes: 2 });
  await signAsGuest(test, moved.id, "paul@ailleurs.fr");
  await owner.post(`${ENVELOPES}${moved.id}/cancel/`);
  expect((await owner.post(`${ENVELOPES}${moved.id}/restore/`)).status).toBe(200);
  const body = { deadline_at: null };
  await owner.send("PUT", `${ENVELOPES}${moved.id}/deadline/`, { body });
  const alone = multipart(
    {
      placement: JSON.stringify(BATCH_PLACE),
      signature: JSON.stringify(BATCH_MARK),
      accept_normalised: "true",
    },
    [
      {
        field: "file",
        name: "seul.pdf",
        type: "application/pdf",
        bytes: makePdf({ catalogExtra: SCRIPT }),
      },
    ],
  );
  expect((await owner.send("POST", "/api/signature/self-sign/", alone)).status).toBe(201);
  await signBatch(test, owner, [batchPdf("Lot")]);
}

test("an audit finds no fault in what the service made, and counts what it checked", async () => {
  const { code, lines } = await runAudit(stage.service.platform, [
    "check",
    "--copies",
    stage.copies,
  ]);
  const verdict = lines.indexOf("Rien n’a été modifié, déplacé ni retiré.");
  expect(verdict).toBeGreaterThan(0);
  expect(code).toBe(0);
  const counts = lines.slice(1, verdict - 1).map((line) => line.split(/ {2,}/).slice(0, 3));
  expect(counts.map(([name, , faults]) => [name, faults])).toEqual([
    ["Autorités enregistrées", "0"],
    ["Certificats émis", "0"],
    ["Événements des journaux", "0"],
    ["Têtes reçues par le journal de transparence", "0"],
    ["Dates des événements, face au journal de transparence", "0"],
    ["Lignes des enveloppes, face à leur historique", "0"],
    ["Feuilles et nœuds du journal de transparence", "0"],
    ["Points de contrôle signés et horodatés", "0"],
    ["Copies des points de contrôle", "0"],
    ["Fichiers signés, de l’enveloppe qui les présente", "0"],
    ["Fichiers conservés", "0"],
  ]);
  for (const [, checked] of counts) expect(Number(checked)).toBeGreaterThan(0);
});

test.each([[[]], [["verify"]], [["check", "--copies"]], [["check", "ici"]]])(
  "an audit refuses the words %j",
  async (words) => {
    expect(await runAudit(stage.service.platform, words)).toMatchObject({ code: 64 });
  },
);

const linesAfter = async (statement: string): Promise<string> =>
  (await stage.auditAfter([statement.replaceAll(":envelope", id)])).lines.join("\n");

test("an audit finds the rows of every kind of envelope equal to its journal", async () => {
  expect(await stage.auditAfter([])).toMatchObject({ code: 0 });
});

test.each([...FORGED_ROWS, ...REMOVED_ROWS])(
  "an audit names a row that differs from its journal: %s",
  async (_what, statement, said) => {
    const lines = await linesAfter(statement);
    expect(lines).toContain(`enveloppe ${id}`);
    expect(lines).toMatch(said);
    expect(lines).not.toMatch(/Paul Morel|Victime|exemple\.fr/);
  },
);

/** A database on which `work` runs as soon as a matching answer was read. */
function meanwhile(
  isMoment: (row: Readonly<Record<string, unknown>>) => boolean,
  happen: () => Promise<void>,
): Database {
  let hasHappened = false;
  return stage.service.platform.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!hasHappened && result.rows.some((row) => isMoment(row as Record<string, unknown>))) {
        hasHappened = true;
        await happen();
      }
      return result;
    },
  });
}

test.each([
  ["a successor", async (envelopeId: string) => writeJournal(stage.service.platform, envelopeId)],
  ["its leaf", async () => stage.checkpoint()],
  [
    "a successor, whose leaf stands for both",
    async (envelopeId: string) => {
      await writeJournal(stage.service.platform, envelopeId);
      await stage.checkpoint();
    },
  ],
])("an audit accepts an event that gets %s while its journal is read", async (_what, happen) => {
  const [envelopeId = ""] = await writeJournals(stage.service.platform, 1);
  const db = meanwhile(
    (row) => row["envelopeId"] === envelopeId,
    () => happen(envelopeId),
  );
  expect(await checkJournals({ db })).toMatchObject({ faultCount: 0, faults: [] });
});

test("an audit accepts leaves added while the log is read", async () => {
  const { platform } = stage.service;
  const db = meanwhile(
    (row) => "leafIndex" in row,
    async () => {
      await writeJournals(platform, 3);
      await stage.checkpoint();
    },
  );
  const outcomes = await checkLog(
    { ...platform, db },
    { statedFault: async () => null, copies: stage.copies },
  );
  expect(outcomes.flatMap(({ faults }) => faults)).toEqual([]);
});

/** The SQL of `docs/operations/audit.md`: the log's end remade; a last checkpoint removed. */
let mendEnd: string;
let takeOutLast: string;

beforeAll(async () => {
  const page = await readFile(new URL("../../docs/operations/audit.md", import.meta.url), "utf8");
  [mendEnd = "", takeOutLast = ""] = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(
    ([, text = ""]) => text,
  );
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
  ["a node in the next one's place", [BOGUS_NODE], []],
  [
    "removed and changed nodes",
    [
      "delete from transparency_nodes where index = 0",
      "update transparency_nodes set hash = sha256(hash)",
    ],
    [],
  ],
  ["an unknown tree head", ["update transparency_due set head = sha256(head)"], []],
  [
    "an unsigned checkpoint over a leaf of no event",
    [
      BOGUS_LEAF,
      "insert into transparency_checkpoints select number + 1, (select max(leaf_index) + 1 from transparency_leaves), root, at, key_id, 'x', timestamp_der from transparency_checkpoints order by number desc limit 1",
    ],
    ["the last checkpoint"],
  ],
] as const)(
  "the page on audits repairs a log broken by %s, which then goes on",
  async (_what, statements, first) => {
    const { platform } = stage.service;
    await writeJournals(platform, 3);
    await asOperator(stage.service, ...statements.map((statement) => sql.raw(statement)));
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
    for (const table of ["transparency_leaves", "transparency_checkpoints"])
      await expect(sql.raw(`delete from ${table}`).execute(platform.owner)).rejects.toThrow(
        "takes inserts only",
      );
  },
);
