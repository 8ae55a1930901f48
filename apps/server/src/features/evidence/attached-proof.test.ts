import { PDF } from "@libpdf/core";
import { verifyProof } from "@paraphe/proof";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ENVELOPES } from "../../../testing/envelope.ts";
import { completeEnvelope, notOk, openProven, type Proven } from "../../../testing/proven-envelope.ts";

let proven: Proven;
beforeAll(async () => {
  proven = await openProven();
}, 60_000);
afterAll(() => proven.test.close());

test.each([
  ["of which no QR code was ever made", () => completeEnvelope(proven), false],
  ["of which one was made", async () => proven.envelope, true],
])("an evidence file has all that proves an envelope %s without the service", async (_what, make, hasPrint) => {
  const { id } = await make();
  const { bytes } = await proven.owner.get(`${ENVELOPES}${id}/evidence/`);
  const pdf = await PDF.load(bytes);
  const proof = pdf.getAttachment("preuve.json") as Uint8Array;
  const files = [{ name: "bail_signe.pdf", bytes: pdf.getAttachment("bail_signe.pdf") as Uint8Array }];
  const report = await verifyProof({ proof, files, roots: proven.roots, now: proven.test.platform.clock() });
  // A checkpoint takes up what was written some moments before.
  expect(notOk(report).filter(([name]) => name !== "inclusion")).toEqual([]);
  expect(report.proof).toMatchObject({ envelope: id, verdict: "valid", journal: { disclosed: "all" } });
  expect([report.proof?.print !== null, report.proof?.document_url !== null]).toEqual([hasPrint, hasPrint]);
});
