import type { SignatureReport, ValidationReport } from "@paraphe/pades";
import { describe, expect, it } from "vitest";
import { assertArchived, assertPrefix, assertSigned, UnsoundSignatureError } from "./check-revision.ts";

const PASSED: SignatureReport = {
  fieldName: "env_signature_1",
  kind: "signature",
  subFilter: "ETSI.CAdES.detached",
  indication: "TOTAL_PASSED",
  subIndication: null,
  checks: [],
  warnings: [],
  coverage: "whole_file",
  laterChanges: "none",
  level: "B-T",
  signerName: "Paul Morel",
  claimedTime: null,
  certificate: null,
  timestamp: null,
  revocation: null,
  issuerNames: [],
  hashAlgorithm: "SHA-256",
  revisionLength: 1_000,
};
const signature = (rest: Partial<SignatureReport> = {}): SignatureReport => ({ ...PASSED, ...rest });
const earlier = (rest: Partial<SignatureReport> = {}) => signature({ coverage: "whole_revision", laterChanges: "signing", ...rest });
const report = (signatures: readonly SignatureReport[], problems: ValidationReport["problems"] = []): ValidationReport => ({
  indication: "TOTAL_PASSED",
  signatures,
  problems,
  pageCount: 1,
});

describe("a revision that we wrote", () => {
  it("begins with the one before, and goes on", () => {
    const before = Uint8Array.of(1, 2, 3);
    expect(() => assertPrefix(before, Uint8Array.of(1, 2, 3, 4))).not.toThrow();
    for (const after of [
      [1, 2, 3],
      [1, 2],
      [1, 9, 3, 4],
    ])
      expect(() => assertPrefix(before, Uint8Array.from(after))).toThrow(UnsoundSignatureError);
  });

  it("is taken when the new signature covers it whole and passes; others' earlier ones may be unknown here", () => {
    expect(assertSigned(report([signature()]))).toBe("B-T");
    expect(assertSigned(report([earlier({ indication: "INDETERMINATE", level: null }), signature({ level: "B-LTA" })]))).toBe("B-LTA");
  });

  it.each<[string, ValidationReport]>([
    ["no signature covers all of it", report([earlier()])],
    ["the new signature is not passed", report([signature({ indication: "INDETERMINATE" })])],
    ["it has no time-stamp", report([signature({ level: "B-B" })])],
    ["it has no level", report([signature({ level: null })])],
    ["an earlier signature was broken", report([earlier({ indication: "TOTAL_FAILED", laterChanges: "other" }), signature()])],
    ["something is wrong with the file", report([signature()], ["trailing_bytes"])],
  ])("is not taken when %s", (_what, found) => {
    expect(() => assertSigned(found)).toThrow(UnsoundSignatureError);
  });
});

describe("a revision that proves itself for the long term", () => {
  const certificate = (serialNumber: string) => ({ serialNumber }) as SignatureReport["certificate"];
  const proven = (serial: string, rest: Partial<SignatureReport> = {}) =>
    earlier({ level: "B-LTA", certificate: certificate(serial), ...rest });
  const stamp = signature({ kind: "document_timestamp", level: null });

  it("is taken when each of our signatures is at B-LTA and a document time-stamp covers it", () => {
    expect(() => assertArchived(report([proven("0a"), proven("0b"), stamp]), ["0a", "0b"])).not.toThrow();
    expect(() => assertArchived(report([proven("0a"), proven("0a"), stamp]), ["0a", "0a"])).not.toThrow();
  });

  it.each<[string, ValidationReport, readonly string[]]>([
    ["one of our signatures is not in it", report([proven("0a"), stamp]), ["0a", "0b"]],
    [
      "the organisation's key made two, of which one is proven",
      report([proven("0a"), proven("0a", { level: "B-T" }), stamp]),
      ["0a", "0a"],
    ],
    ["one is below B-LTA", report([proven("0a", { level: "B-LT" }), stamp]), ["0a"]],
    ["one is not passed", report([proven("0a", { indication: "INDETERMINATE" }), stamp]), ["0a"]],
    ["nothing stamps it", report([proven("0a")]), ["0a"]],
    ["its time-stamp is not passed", report([proven("0a"), { ...stamp, indication: "INDETERMINATE" }]), ["0a"]],
    ["its time-stamp does not cover all of it", report([proven("0a"), { ...stamp, coverage: "whole_revision" }]), ["0a"]],
    ["something is wrong with the file", report([proven("0a"), stamp], ["unlisted_signature"]), ["0a"]],
  ])("is not taken when %s", (_what, found, serials) => {
    expect(() => assertArchived(found, serials)).toThrow(UnsoundSignatureError);
  });
});
