import { beforeAll, expect, test } from "vitest";
import { type AttackStage, createAttackStage, STAGE_LATER } from "../../testing/attack-stage.ts";
import { prepareAll, signAs } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import type { TrustAnchors, ValidationReport } from "./types.ts";
import { validate } from "./validate.ts";

let stage: AttackStage;
let ours: readonly Uint8Array[];
let theirs: readonly Uint8Array[];
beforeAll(async () => {
  stage = await createAttackStage();
  [ours, theirs] = [stage.pki.root.certificates, stage.stranger.root.certificates];
});
const judge = (bytes: Uint8Array, trustAnchors: TrustAnchors): Promise<ValidationReport> =>
  validate(bytes, { evidence: { trustAnchors }, now: STAGE_LATER });

test("a signer of an authority trusted for time-stamps alone is not trusted", async () => {
  const { pki, stranger } = stage;
  const signer = await stranger.issue({ commonName: "Banque de France" });
  const bytes = await signAs(await prepareAll(smallPdf()), {
    signer,
    tsa: pki.tsa,
    ownerKey: "alice",
  });
  const report = await judge(bytes, { signers: ours, timestamps: [...ours, ...theirs] });
  expect(report.signatures[0]).toMatchObject({
    indication: "INDETERMINATE",
    subIndication: "NO_CERTIFICATE_CHAIN_FOUND",
    level: null,
  });
  expect((await judge(bytes, { signers: [...ours, ...theirs], timestamps: ours })).indication).toBe(
    "TOTAL_PASSED",
  );
});

test("an authority trusted for time-stamps alone proves times", async () => {
  const { alice, stranger } = stage;
  const bytes = await signAs(await prepareAll(smallPdf()), {
    signer: alice,
    tsa: stranger.tsa,
    ownerKey: "alice",
  });
  const report = await judge(bytes, { signers: ours, timestamps: theirs });
  expect(report.signatures[0]).toMatchObject({
    indication: "TOTAL_PASSED",
    level: "B-T",
    timestamp: { trusted: true },
  });
});

test("an authority trusted for signers alone proves no time", async () => {
  const { first, archived } = stage;
  const timeless = { signers: ours, timestamps: theirs };
  expect((await judge(first, timeless)).signatures[0]).toMatchObject({
    indication: "INDETERMINATE",
    subIndication: "NO_POE",
  });
  expect((await judge(archived, timeless)).signatures.at(-1)).toMatchObject({
    kind: "document_timestamp",
    indication: "INDETERMINATE",
  });
});
