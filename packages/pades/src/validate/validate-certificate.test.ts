import { beforeAll, expect, test } from "vitest";
import { createTestPki, TEST_NOW, type TestPki } from "../../testing/test-pki.ts";
import { createCrl } from "../x509/certificate-revocation-list.ts";
import { parseCertificate } from "../x509/certificate.ts";
import type { Evidence } from "./types.ts";
import { validateCertificate } from "./validate-certificate.ts";

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

const judge = (now: Date, more: Partial<Parameters<typeof validateCertificate>[1]> = {}) =>
  validateCertificate(leaf, { evidence, trustedFor: "signers", now, provenAt: null, ...more });

test("a certificate below a trusted root passes, with its path", async () => {
  const report = await judge(LATER);
  expect(report).toMatchObject({ indication: "TOTAL_PASSED", subIndication: null });
  expect(report.chain?.at(0)).toEqual(leaf);
  expect(report.chain?.at(-1)).toEqual(pki.root.certificates[0]);
});

test("a root trusted for signers alone ends no path of a time-stamp", async () => {
  expect(await judge(LATER, { trustedFor: "timestamps" })).toEqual({
    indication: "INDETERMINATE",
    subIndication: "NO_CERTIFICATE_CHAIN_FOUND",
    chain: null,
  });
});

test("an expired certificate passes only with an older proof", async () => {
  expect((await judge(IN_A_CENTURY)).indication).toBe("INDETERMINATE");
  expect(await judge(IN_A_CENTURY, { provenAt: LATER })).toMatchObject({
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
  const report = await judge(LATER, { evidence: { ...evidence, crls: [crl] } });
  expect(report.indication).not.toBe("TOTAL_PASSED");
  expect(report.subIndication).toMatch(/^REVOKED/);
});
