import type { Proof } from "@paraphe/contracts";
import { expect, test } from "vitest";
import { layOutCertificate } from "./lay-out-certificate.ts";

const PROOF: Proof = {
  title: "Bail",
  completed: false,
  completed_at: null,
  document_url: null,
  hash_sha256: "ab".repeat(32),
  hash_md5: null,
  signers: [
    { full_name: "Paul Morel", signed: true, signed_at: "2026-11-21T10:00:00.000Z" },
    { full_name: "Éloïse Lefèvre", signed: false, signed_at: null },
  ],
  certificate: null,
  verdict: "indeterminate",
  reason: "Raison.",
  warnings: [],
  integrity: true,
  level: "B-T",
  documents: [],
  checked_at: "2026-11-21T10:00:00.000Z",
  purged: false,
  purged_at: null,
  cancelled: false,
  proof_only: false,
  chain: { intact: true, count: 9 },
  inclusion: null,
  statement_keys: [],
};

const wordsOf = (part: Partial<Proof>): string =>
  layOutCertificate({
    proof: { ...PROOF, ...part },
    code: Array.from({ length: 21 }, () => Array.from({ length: 21 }, () => false)),
    verifyUrl: "https://exemple.fr/verify/1",
    domain: "exemple.fr",
    documentName: "Bail.pdf",
    sha256: "ab".repeat(32),
    pageCount: 1,
    madeAt: "2026-11-21T10:00:00.000Z",
  })
    .texts.flatMap(({ lines }) => lines)
    .join("\n");

test.each([
  ["that waits", {}, ["Pas encore", "Signature attendue"]],
  ["whose deadline passed", { expired: true }, ["Non\u00a0: l’échéance est passée", "N’a pas signé"]],
  ["that somebody refused", { declined: true }, ["Non, et ne le sera pas", "N’a pas signé"]],
] as const)("the page of proof of an envelope %s tells what to expect of it", (_what, part, said) => {
  const words = wordsOf(part);
  for (const one of said) expect(words).toContain(one);
  expect(words.includes("attendue")).toBe(said[1] === "Signature attendue");
});
