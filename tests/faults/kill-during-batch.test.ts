import { expect, test } from "vitest";
import { readZip } from "../../apps/server/testing/zip.ts";
import { signaturesIn } from "../../scripts/store/signatures-in.ts";
import { killBatch } from "../support/kill-batch.ts";
import { expectStatus } from "../support/story.ts";
import { EVERY_INVARIANT_HOLDS, verifyStoreOf } from "../support/verify-store.ts";

const DOCUMENTS = 36;
/** Killed once so many are signed: each kill falls among documents at work. */
const KILLED_AT = [5, 13, 24];

test("a batch whose process is killed three times signs each document exactly once, and tells its owner once", {
  timeout: 400_000,
}, async () => {
  const { id, tally, server, owner } = await killBatch({ documents: DOCUMENTS, killedAt: KILLED_AT, withinMs: 120_000 });
  try {
    expect(tally).toEqual({
      done: DOCUMENTS,
      envelopes: DOCUMENTS,
      acts: DOCUMENTS,
      signatures: DOCUMENTS,
      events: DOCUMENTS,
      messages: 1,
    });
    const address = `/api/signature/batch-jobs/${id}/`;
    expect((await owner.get(address)).json).toMatchObject({ status: "completed", total: DOCUMENTS, done: DOCUMENTS, failed: 0 });
    const archive = readZip(expectStatus(await owner.get(`${address}download/`), 200, "archive").bytes);
    const signed = [...archive].filter(([name]) => name.endsWith(".pdf"));
    expect(signed).toHaveLength(DOCUMENTS);
    for (const [, bytes] of signed)
      expect(signaturesIn(bytes).map(({ subFilter }) => subFilter)).toEqual(["ETSI.CAdES.detached", "ETSI.RFC3161"]);
    expect(verifyStoreOf(server)).toEqual(EVERY_INVARIANT_HOLDS);
  } finally {
    owner.close();
    await server.close();
  }
});
