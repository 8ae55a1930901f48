import type { ProofContent } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notOk, openProven, type Proven, proofIn, sealedBy, verifyProven } from "../../../testing/proven-envelope.ts";

let proven: Proven;
beforeAll(async () => {
  proven = await openProven();
}, 60_000);
afterAll(() => proven.test.close());

type Members = { -readonly [Name in keyof ProofContent]: ProofContent[Name] };
const OTHER = "2001-01-01T00:00:00.000Z";

/** The proof as the service's own seal would sign it after this change. */
async function checkedWith(change: (proof: Members) => void): Promise<Awaited<ReturnType<typeof verifyProven>>> {
  const { proof } = proofIn(proven.proof);
  change(proof);
  return verifyProven(proven, { proof: await sealedBy(proven.test, proof) });
}

const firstOf = <T>([first]: readonly T[]): T => {
  if (first === undefined) throw new Error("there is none");
  return first;
};

describe("a proof whose own members are not what its journal says", () => {
  it.each<[string, (proof: Members) => void]>([
    ["nobody who signs", (proof) => (proof.signers = [])],
    ["another signer", (proof) => (firstOf(proof.signers).full_name = "Autre")],
    ["another time of signing", (proof) => (firstOf(proof.signers).signed_at = OTHER)],
    ["one more signer", (proof) => (proof.signers = [...proof.signers, { full_name: "Autre", signed: true, signed_at: OTHER }])],
    ["a title", (proof) => (proof.title = "Autre")],
    ["an end", (proof) => (proof.completed_at = OTHER)],
    ["a cancellation", (proof) => (proof.cancelled = true)],
    ["a refusal", (proof) => (proof.declined = true)],
    ["an expiry", (proof) => (proof.expired = true)],
    ["no completion", (proof) => (proof.completed = false)],
    ["a purge", (proof) => Object.assign(proof, { purged: true, purged_at: OTHER })],
    ["a journal that is not intact", (proof) => (proof.chain = { ...proof.chain, intact: false })],
    ["more events", (proof) => (proof.chain = { ...proof.chain, count: 99 })],
    ["another print", (proof) => Object.assign(proof.print ?? {}, { id: proof.envelope })],
    ["another date of its print", (proof) => Object.assign(proof.print ?? {}, { created_at: OTHER })],
    ["another kind of print", (proof) => Object.assign(proof.print ?? {}, { qr_type: "last" })],
    ["a signature that is not valid", (proof) => (firstOf(proof.signatures).verdict = "invalid")],
    ["another time of a signature", (proof) => (firstOf(proof.signatures).signed_at = OTHER)],
    ["a signature twice", (proof) => (proof.signatures = [...proof.signatures, ...proof.signatures])],
    ["other fingerprints on its page", (proof) => (firstOf(proof.documents).hash_sha256 = "ab".repeat(32))],
    ["another fingerprint on top", (proof) => (proof.hash_sha256 = "ab".repeat(32))],
    ["another name of a file", (proof) => (firstOf(proof.files).name = "Autre.pdf")],
    ["another name of a document", (proof) => (firstOf(proof.documents).name = "Autre.pdf")],
  ])("is not believed, though the seal signed it: %s", async (_what, change) => {
    const report = await checkedWith(change);
    expect(report.verdict).toBe("invalid");
    expect(notOk(report).map(([name]) => name)).toEqual(expect.arrayContaining([expect.stringMatching(/^(journal_facts|completion)$/)]));
  });

  it.each<[string, (proof: Members) => void]>([
    ["indeterminate", (proof) => Object.assign(proof, { verdict: "indeterminate", reason: "Non." })],
    ["of a signature, indeterminate", (proof) => (firstOf(proof.signatures).verdict = "indeterminate")],
  ])("is not called valid where the service’s own verdict was %s", async (_what, change) => {
    expect((await checkedWith(change)).verdict).toBe("indeterminate");
  });

  it("is believed when it says nothing of a refusal or of an expiry, as proofs of before", async () => {
    expect((await checkedWith((proof) => delete proof.declined)).verdict).toBe("valid");
    expect((await checkedWith((proof) => delete proof.expired)).verdict).toBe("valid");
  });
});
