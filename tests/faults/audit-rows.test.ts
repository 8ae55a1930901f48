import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSent, ELOISE, PAUL } from "../../apps/server/testing/envelope.ts";
import { FORGED_ROWS, REMOVED_ROWS } from "../../apps/server/testing/forged-rows.ts";
import { openConfirmedGuest, signAsGuest } from "../../apps/server/testing/guest.ts";
import { createMember, signIn } from "../../apps/server/testing/member.ts";
import { completeEnvelope, printOf } from "../../apps/server/testing/proven-envelope.ts";
import { type AuditStage, openAuditStage } from "../support/audit-stage.ts";

let stage: AuditStage;
let id: string;
beforeAll(async () => {
  stage = await openAuditStage();
  const test = stage.service;
  const owner = await signIn(test, await createMember(test.platform));
  const envelope = await completeEnvelope({ test, owner });
  await printOf(owner, envelope);
  ({ id } = envelope);
  // What honest rows and journals come to, besides: a refusal, a cancellation, a purge.
  const declined = await createSent(owner, { recipients: [PAUL, ELOISE] });
  await signAsGuest(test, declined.id, PAUL.email);
  const guest = await openConfirmedGuest(test, declined.id, ELOISE.email);
  expect((await guest.post("decline/", { reason: "Trop cher." })).status).toBe(200);
  const purged = await completeEnvelope({ test, owner });
  await owner.post(`/api/signature/envelopes/${purged.id}/cancel/`);
  expect((await owner.send("DELETE", `/api/signature/envelopes/${purged.id}/purge/`)).status).toBe(
    204,
  );
  await test.settle({ deferred: "run" });
  await stage.checkpoint();
}, 120_000);
afterAll(() => stage.close());

const linesAfter = async (statement: string): Promise<string> =>
  (await stage.auditAfter([statement.replaceAll(":envelope", id)])).lines.join("\n");

describe("rows beside the journals", () => {
  test("of honest envelopes, whatever became of them, are what the journals say", async () => {
    expect(await stage.auditAfter([])).toMatchObject({ code: 0 });
  });

  test.each([...FORGED_ROWS, ...REMOVED_ROWS])(
    "are named where they say otherwise: %s",
    async (_what, statement, said) => {
      const lines = await linesAfter(statement);
      expect(lines).toContain(`enveloppe ${id}`);
      expect(lines).toMatch(said);
      expect(lines).not.toMatch(/Paul Morel|Victime|exemple\.fr/);
    },
  );
});
