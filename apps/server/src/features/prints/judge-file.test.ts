import { createHash } from "node:crypto";
import type { SignatureReport } from "@paraphe/pades";
import { expect, it } from "vitest";
import { judgeFile } from "./validate-envelope.ts";

const REPORT: SignatureReport = {
  fieldName: "env_signature_1",
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
  const { signatures } = judgeFile({ indication: "TOTAL_PASSED", signatures: [REPORT], problems: [], pageCount: 1 }, []);
  expect(signatures).toMatchObject([{ said: { verdict: "valid" }, warnings: [expect.stringContaining("aucun niveau PAdES")] }]);
});

it("a signature under another authority, of the number of one of ours, is somebody else's", () => {
  const own = Uint8Array.of(0x30, 3, 2, 1, 7);
  const recorded = {
    id: "019aa000-0000-7000-8000-000000000001",
    envelopeId: "env",
    signerName: "Paul Morel",
    signedAt: new Date("2026-11-21T14:16:04Z"),
    documentId: "019aa000-0000-7000-8000-000000000002",
    recipientId: null,
    serialNumber: "07",
    certificateDer: own,
  };
  const name = { commonName: "Paul Morel" };
  const under = (der: Uint8Array): SignatureReport => ({
    ...REPORT,
    certificate: {
      der: new Uint8Array(),
      sha256: createHash("sha256").update(der).digest("hex"),
      subject: name,
      issuer: name,
      emails: [],
      serialNumber: "07",
      notBefore: new Date("2026-01-01T00:00:00Z"),
      notAfter: new Date("2027-01-01T00:00:00Z"),
      policyOids: [],
    },
  });
  const judged = (der: Uint8Array) =>
    judgeFile({ indication: "TOTAL_PASSED", signatures: [under(der)], problems: [], pageCount: 1 }, [recorded]).signatures.map(
      ({ isOurs }) => isOurs,
    );
  expect([judged(own), judged(Uint8Array.of(0x30, 3, 2, 1, 8))]).toEqual([[true], [false]]);
});
