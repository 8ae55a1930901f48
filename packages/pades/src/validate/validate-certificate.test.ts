import { beforeAll, expect, test } from "vitest";
import { TEST_NOW, type TestPki, createTestPki } from "../../testing/test-pki.ts";
import { createCrl } from "../x509/ocsp.ts";
import { parseCertificate } from "../x509/certificate.ts";
import type { Evidence, TrustAnchors, ValidationReport } from "./types.ts";
import { validateCertificate } from "./validate-certificate.ts";
import { type AttackStage, STAGE_LATER, createAttackStage } from "../../testing/attack-stage.ts";
import { prepareAll, signAs } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { validate } from "./validate.ts";

const LATER = new Date(TEST_NOW.getTime() + 60_000);
const TOMORROW = new Date(TEST_NOW.getTime() + 86_400_000);
const IN_A_CENTURY = new Date("2126-01-01T00:00:00Z");

let pki: TestPki;
let chain: readonly Uint8Array[];
let leaf: Uint8Array;
let evidence: Evidence;

beforeAll(async () => {
  pki = await createTestPki();
  chain = (await pki.issue({ commonName: "Sceau" })).certificates;
  leaf = chain[0] as Uint8Array;
  evidence = {
    trustAnchors: { signers: pki.root.certificates, timestamps: [] },
    certificates: chain,
  };
});

const validated = (now: Date, more: Partial<Parameters<typeof validateCertificate>[1]> = {}) =>
  validateCertificate(leaf, { evidence, trustedFor: "signers", now, provenAt: null, ...more });

test("a certificate below a trusted root passes, with its path", async () => {
  const report = await validated(LATER);
  expect(report).toMatchObject({ indication: "TOTAL_PASSED", subIndication: null });
  expect(report.chain?.at(0)).toEqual(leaf);
  expect(report.chain?.at(-1)).toEqual(pki.root.certificates[0]);
});

test("a root trusted for signers alone ends no path of a time-stamp", async () => {
  expect(await validated(LATER, { trustedFor: "timestamps" })).toEqual({
    indication: "INDETERMINATE",
    subIndication: "NO_CERTIFICATE_CHAIN_FOUND",
    chain: null,
  });
});

test("an expired certificate passes only with an older proof", async () => {
  expect((await validated(IN_A_CENTURY)).indication).toBe("INDETERMINATE");
  expect(await validated(IN_A_CENTURY, { provenAt: LATER })).toMatchObject({
    indication: "TOTAL_PASSED",
  });
});

test("a revoked certificate does not pass", async () => {
  const { serialNumber } = parseCertificate(leaf);
  const revoked = [{ serialNumber, revokedAt: TEST_NOW }];
  const crl = await createCrl(pki.ca, {
    number: 1n,
    thisUpdate: LATER,
    nextUpdate: TOMORROW,
    revoked,
  });
  const report = await validated(LATER, { evidence: { ...evidence, crls: [crl] } });
  expect(report.indication).not.toBe("TOTAL_PASSED");
  expect(report.subIndication).toMatch(/^REVOKED/);
});

let stage: AttackStage;
let ours: readonly Uint8Array[];
let theirs: readonly Uint8Array[];
beforeAll(async () => {
  stage = await createAttackStage();
  [ours, theirs] = [stage.pki.root.certificates, stage.stranger.root.certificates];
});
const reportOn = (bytes: Uint8Array, trustAnchors: TrustAnchors): Promise<ValidationReport> =>
  validate(bytes, { evidence: { trustAnchors }, now: STAGE_LATER });

test("a signer of an authority trusted for time-stamps alone is not trusted", async () => {
  const { pki, stranger } = stage;
  const signer = await stranger.issue({ commonName: "Banque de France" });
  const bytes = await signAs(await prepareAll(smallPdf()), {
    signer,
    tsa: pki.tsa,
    ownerKey: "alice",
  });
  const report = await reportOn(bytes, { signers: ours, timestamps: [...ours, ...theirs] });
  expect(report.signatures[0]).toMatchObject({
    indication: "INDETERMINATE",
    subIndication: "NO_CERTIFICATE_CHAIN_FOUND",
    level: null,
  });
  expect(
    (await reportOn(bytes, { signers: [...ours, ...theirs], timestamps: ours })).indication,
  ).toBe("TOTAL_PASSED");
});

test("an authority trusted for time-stamps alone proves times", async () => {
  const { alice, stranger } = stage;
  const bytes = await signAs(await prepareAll(smallPdf()), {
    signer: alice,
    tsa: stranger.tsa,
    ownerKey: "alice",
  });
  const report = await reportOn(bytes, { signers: ours, timestamps: theirs });
  expect(report.signatures[0]).toMatchObject({
    indication: "TOTAL_PASSED",
    level: "B-T",
    timestamp: { trusted: true },
  });
});

test("an authority trusted for signers alone proves no time", async () => {
  const { first, archived } = stage;
  const timeless = { signers: ours, timestamps: theirs };
  expect((await reportOn(first, timeless)).signatures[0]).toMatchObject({
    indication: "INDETERMINATE",
    subIndication: "NO_POE",
  });
  expect((await reportOn(archived, timeless)).signatures.at(-1)).toMatchObject({
    kind: "document_timestamp",
    indication: "INDETERMINATE",
  });
});
