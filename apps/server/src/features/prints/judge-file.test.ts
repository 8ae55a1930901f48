import type { SignatureReport } from "@paraphe/pades";
import { expect, it } from "vitest";
import { judgeFile } from "./validate-envelope.ts";

const REPORT: SignatureReport = {
  fieldName: "Signature1",
  kind: "signature",
  subFilter: "ETSI.CAdES.detached",
  indication: "TOTAL_PASSED",
  subIndication: null,
  checks: [],
  warnings: ["signing_time_attribute"],
  coverage: "whole_file",
  laterChanges: "none",
  level: null,
  signerName: "Paul Morel",
  claimedTime: null,
  certificate: null,
  timestamp: null,
  revocation: null,
  issuerNames: [],
  hashAlgorithm: "SHA-256",
  revisionLength: 1_000,
};

it("what a validation notes of a signature goes along with its verdict, in words", () => {
  const { signatures } = judgeFile({ indication: "TOTAL_PASSED", signatures: [REPORT], problems: [] }, []);
  expect(signatures).toMatchObject([{ said: { verdict: "valid" }, warnings: [expect.stringContaining("aucun niveau PAdES")] }]);
});
