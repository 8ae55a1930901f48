import { describe, expect, it } from "vitest";
import { type FailureReason, signatureVerdict } from "./signature-verdict.ts";

const FAILED = ["FORMAT_FAILURE", "HASH_FAILURE", "SIG_CRYPTO_FAILURE", "REVOKED", "SIGNED_DATA_NOT_FOUND"] as const;
const INDETERMINATE = [
  "SIG_CONSTRAINTS_FAILURE",
  "CHAIN_CONSTRAINTS_FAILURE",
  "CERTIFICATE_CHAIN_GENERAL_FAILURE",
  "CRYPTO_CONSTRAINTS_FAILURE",
  "EXPIRED",
  "NOT_YET_VALID",
  "NO_SIGNING_CERTIFICATE_FOUND",
  "NO_CERTIFICATE_CHAIN_FOUND",
  "REVOKED_NO_POE",
  "OUT_OF_BOUNDS_NO_POE",
  "OUT_OF_BOUNDS_NOT_REVOKED",
  "TIMESTAMP_ORDER_FAILURE",
  "NO_POE",
  "TRY_LATER",
] as const;
/** A sub-indication that is in neither list is a type error here. */
type Missing = Exclude<FailureReason, (typeof FAILED)[number] | (typeof INDETERMINATE)[number]>;
const none: Missing[] = [];

const signature = (subIndication: FailureReason | null, indication: "TOTAL_PASSED" | "INDETERMINATE" | "TOTAL_FAILED" = "INDETERMINATE") =>
  ({ indication, subIndication, laterChanges: "none", coverage: "whole_file" }) as const;

describe("the plain verdict on a signature", () => {
  it("is Valide for a passed one", () => {
    expect(signatureVerdict(signature(null, "TOTAL_PASSED"))).toEqual({
      verdict: "valid",
      reason: "La signature est valide, et rien de ce qu’elle couvre n’a changé depuis.",
      consequence: "Vous pouvez vous y fier.",
    });
    expect(none).toEqual([]);
  });

  it.each(FAILED)("is Invalide for %s, with the advice not to trust it", (sub) => {
    const verdict = signatureVerdict(signature(sub, "TOTAL_FAILED"));
    expect(verdict).toMatchObject({ verdict: "invalid", consequence: "Ne vous fiez pas à ce document." });
    expect(verdict.reason).toMatch(/\.$/);
  });

  it.each(INDETERMINATE)("is Indéterminé for %s, with what to do", (sub) => {
    const { verdict, reason, consequence } = signatureVerdict(signature(sub));
    expect(verdict).toBe("indeterminate");
    expect(reason).toMatch(/\.$/);
    expect(consequence).toMatch(/\.$/);
  });

  it("each reason is its own", () => {
    const reasons = [...FAILED, ...INDETERMINATE].map((sub) => signatureVerdict(signature(sub)).reason);
    expect(new Set(reasons).size).toBe(reasons.length);
  });

  it("says what a failure of form was: a range too small, a change that the signature does not allow, fields that nobody signed", () => {
    const failed = signature("FORMAT_FAILURE", "TOTAL_FAILED");
    expect(signatureVerdict({ ...failed, coverage: "partial" }).reason).toBe("La signature ne couvre pas tout le document.");
    expect(signatureVerdict({ ...failed, laterChanges: "other" }).reason).toContain("modifié après cette signature");
    expect(signatureVerdict({ ...failed, laterChanges: "unsigned_filling" })).toEqual({
      verdict: "invalid",
      reason: "Des champs ont été remplis après la dernière signature, ou par quelqu’un d’autre que leur signataire.",
      consequence: "Ne vous fiez pas à ce document.",
    });
  });

  it("has words for a report without a sub-indication", () => {
    expect(signatureVerdict(signature(null)).reason).toBe("La signature n’a pas pu être vérifiée jusqu’au bout.");
  });
});
