import { afterAll, beforeAll, expect, test } from "vitest";
import { writeJournal, writeJournals } from "../../apps/server/testing/journals.ts";
import type { Database } from "../../apps/server/src/platform/database/database.ts";
import { checkJournals } from "../../apps/cli/src/audit/check-journals.ts";
import { checkLog } from "../../apps/cli/src/audit/check-log.ts";
import { type AuditStage, openAuditStage } from "../support/audit-stage.ts";

let stage: AuditStage;
beforeAll(async () => {
  stage = await openAuditStage();
}, 120_000);
afterAll(() => stage.close());

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
])("an event that gets %s while its journal is read is no fault", async (_what, happen) => {
  const [envelopeId = ""] = await writeJournals(stage.service.platform, 1);
  const db = meanwhile(
    (row) => row["envelopeId"] === envelopeId,
    () => happen(envelopeId),
  );
  expect(await checkJournals({ db })).toMatchObject({ faultCount: 0, faults: [] });
});

test("leaves that are added while the log is read are no fault", async () => {
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
