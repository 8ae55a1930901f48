import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
import { FORGED_ROWS, REMOVED_ROWS } from "../../apps/server/testing/forged-rows.ts";
import { openConfirmedGuest, signAsGuest } from "../../apps/server/testing/guest.ts";
import { createMember, signIn } from "../../apps/server/testing/member.ts";
import { completeEnvelope, printOf } from "../../apps/server/testing/proven-envelope.ts";
import { makePdf, SCRIPT } from "../../apps/server/testing/pdf.ts";
import { recipientCalls } from "../../apps/server/testing/recipient-calls.ts";
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
  await sendHonestOnes(owner);
  await test.settle({ deferred: "run" });
  await stage.checkpoint();
}, 120_000);
afterAll(() => stage.close());

/** Every honest state: drafts, refusals, ends, a purge, a self-signed document. */
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
