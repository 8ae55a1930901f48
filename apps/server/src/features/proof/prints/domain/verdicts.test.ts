import type { Proof } from "@paraphe/contracts";
import { describe, expect, test } from "vitest";
import {
  type CheckedFile,
  type CheckedSignature,
  envelopeVerdict,
  warningsOfFiles,
  warningsOfSignature,
} from "./verdicts.ts";
import { layOutCertificate } from "./lay-out.ts";
import { type FailureReason, signatureVerdict } from "./verdicts.ts";

const signature = (changes: Partial<CheckedSignature> = {}): CheckedSignature => ({
  indication: "TOTAL_PASSED",
  said: {
    verdict: "valid",
    reason: "La signature est valide.",
    consequence: "Vous pouvez vous y fier.",
  },
  warnings: [],
  isIntact: true,
  level: "B-T",
  isOurs: true,
  ...changes,
});
const file = (changes: Partial<CheckedFile> = {}): CheckedFile => ({
  isStored: true,
  isNamed: true,
  problems: [],
  signatures: [signature()],
  expectedCount: 1,
  ...changes,
});

test("passed signatures without awaited people are valid", () => {
  expect(envelopeVerdict([file(), file()], 0)).toMatchObject({
    verdict: "valid",
    integrity: true,
    level: "B-T",
  });
});

test("an awaited signature leaves the verdict indeterminate", () => {
  expect(envelopeVerdict([file()], 1)).toMatchObject({
    verdict: "indeterminate",
    integrity: true,
    reason: expect.stringContaining("une signature est encore attendue"),
  });
  expect(envelopeVerdict([file()], 2).reason).toContain("2 signatures sont encore attendues");
  expect(envelopeVerdict([file({ signatures: [], expectedCount: 0 })], 2)).toMatchObject({
    verdict: "indeterminate",
    level: null,
  });
});

test("a signature that cannot be verified leaves the verdict indeterminate", () => {
  expect(
    envelopeVerdict([file({ signatures: [signature({ indication: "INDETERMINATE" })] })], 0),
  ).toMatchObject({
    verdict: "indeterminate",
    integrity: true,
  });
});

test("a signature of the upload need not chain to our root", () => {
  const foreign = signature({ indication: "INDETERMINATE", isOurs: false, level: null });
  expect(envelopeVerdict([file({ signatures: [foreign, signature()] })], 0)).toMatchObject({
    verdict: "valid",
    level: "B-T",
  });
});

test("an unverifiable signature of the upload is not counted as valid", () => {
  const foreign = signature({ indication: "INDETERMINATE", isOurs: false, level: null });
  expect(envelopeVerdict([file({ signatures: [foreign, signature()] })], 0).reason).toBe(
    "Les signatures recueillies par ce service sont valides et le document n’a pas été modifié depuis. Il portait déjà une signature d’une autre origine, dont l’auteur ne peut pas être vérifié ici.",
  );
  expect(
    envelopeVerdict([file({ signatures: [foreign, foreign, signature()] })], 0).reason,
  ).toContain("2 signatures d’une autre origine");
});

test("a file's own fault comes before those of its signatures", () => {
  const formless = signature({
    indication: "TOTAL_FAILED",
    isIntact: false,
    said: {
      verdict: "invalid",
      reason: "La signature n’a pas la forme attendue.",
      consequence: "Ne vous fiez pas à ce document.",
    },
  });
  const said = (problem: string) =>
    envelopeVerdict([file({ problems: [problem], signatures: [formless] })], 0).reason;
  expect(said("unlisted_signature")).toBe(
    "Ce fichier montre une signature que rien ne permet de vérifier\u00a0: elle n’est la valeur d’aucun champ. Ne vous fiez pas à ce document.",
  );
  expect(said("pdf_damaged")).toBe(
    "La signature n’a pas la forme attendue. Ne vous fiez pas à ce document.",
  );
});

test.each<[string, CheckedFile]>([
  ["a signature failed", file({ signatures: [signature({ indication: "TOTAL_FAILED" })] })],
  [
    "the document was changed after a signature",
    file({ signatures: [signature({ isIntact: false })] }),
  ],
  ["the file has something after its end", file({ problems: ["trailing bytes"] })],
  ["a recorded signature is not in the file", file({ expectedCount: 2 })],
  ["the stored file is missing or another", file({ isStored: false, signatures: [] })],
  ["the journal names another file for this document", file({ isNamed: false })],
])("%s makes the verdict invalid", (_, bad) => {
  expect(envelopeVerdict([file(), bad], 0)).toMatchObject({
    verdict: "invalid",
    integrity: _ === "a signature failed",
  });
});

test("a missing file and a changed one have different reasons, and the change prevails", () => {
  const [gone, other] = [file({ isStored: false, isMissing: true }), file({ isStored: false })];
  expect(envelopeVerdict([file(), gone], 0)).toMatchObject({
    verdict: "invalid",
    reason: expect.stringContaining("est introuvable"),
  });
  expect(envelopeVerdict([gone, other], 0).reason).toMatch(/n’est pas celui qui a été signé/);
});

test.each(["encrypted", "pdf_encrypted", "pdf_encrypted_for_recipients", "pdf_too_complex"])(
  "a file that cannot be validated (%s) leaves the verdict indeterminate, with its reason",
  (problem) => {
    const formless = signature({ indication: "TOTAL_FAILED", isIntact: false });
    for (const signatures of [[formless], []]) {
      const { reason, ...judged } = envelopeVerdict(
        [file(), file({ problems: [problem], signatures })],
        1,
      );
      expect(judged).toEqual({ verdict: "indeterminate", integrity: false, level: null });
      expect(reason).toMatch(
        /(Demandez-en un exemplaire non (chiffré|protégé)|Vérifiez-le avec un autre logiciel)\.$/,
      );
      expect(reason).not.toContain("Ne vous fiez pas");
    }
  },
);

test("another fault, there or in another file, still makes the verdict invalid", () => {
  const unjudged = file({ problems: ["encrypted"], signatures: [] });
  expect(
    envelopeVerdict([file({ problems: ["encrypted", "unlisted_signature"] })], 0),
  ).toMatchObject({
    verdict: "invalid",
    integrity: false,
  });
  expect(
    envelopeVerdict([unjudged, file({ signatures: [signature({ isIntact: false })] })], 0).verdict,
  ).toBe("invalid");
  expect(envelopeVerdict([{ ...unjudged, isStored: false }], 0).verdict).toBe("invalid");
  expect(envelopeVerdict([{ ...unjudged, isNamed: false }], 0).verdict).toBe("invalid");
});

test("the level is the lowest of all", () => {
  expect(
    envelopeVerdict([file({ signatures: [signature({ level: "B-LTA" })] }), file()], 0).level,
  ).toBe("B-T");
  expect(envelopeVerdict([file({ signatures: [signature({ level: null })] })], 0).level).toBeNull();
});

test("the first failed signature gives the reason and the consequence", () => {
  const said = {
    verdict: "indeterminate",
    reason: "L’état du certificat manque.",
    consequence: "Recommencez plus tard.",
  } as const;
  const [doubtful] = [signature({ indication: "INDETERMINATE", said })];
  expect(
    envelopeVerdict([file({ signatures: [signature(), doubtful], expectedCount: 2 })], 0).reason,
  ).toBe("L’état du certificat manque. Recommencez plus tard.");
  const broken = {
    verdict: "invalid",
    reason: "Le document a été modifié.",
    consequence: "Ne vous y fiez pas.",
  } as const;
  const failed = signature({ indication: "TOTAL_FAILED", isIntact: false, said: broken });
  expect(
    envelopeVerdict([file({ signatures: [doubtful, failed], expectedCount: 2 })], 0),
  ).toMatchObject({
    verdict: "invalid",
    reason: "Le document a été modifié. Ne vous y fiez pas.",
  });
});

describe("the plain verdict on a signature", () => {
  const FAILED = [
    "FORMAT_FAILURE",
    "HASH_FAILURE",
    "SIG_CRYPTO_FAILURE",
    "REVOKED",
    "SIGNED_DATA_NOT_FOUND",
  ] as const;
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

  const signature = (
    subIndication: FailureReason | null,
    indication: "TOTAL_PASSED" | "INDETERMINATE" | "TOTAL_FAILED" = "INDETERMINATE",
  ) => ({ indication, subIndication, laterChanges: "none", coverage: "whole_file" }) as const;

  test("a passed signature is Valide", () => {
    expect(signatureVerdict(signature(null, "TOTAL_PASSED"))).toEqual({
      verdict: "valid",
      reason: "La signature est valide, et rien de ce qu’elle couvre n’a changé depuis.",
      consequence: "Vous pouvez vous y fier.",
    });
    expect(none).toEqual([]);
  });

  test.each(FAILED)("%s is Invalide, with a warning", (sub) => {
    const verdict = signatureVerdict(signature(sub, "TOTAL_FAILED"));
    expect(verdict).toMatchObject({
      verdict: "invalid",
      consequence: "Ne vous fiez pas à ce document.",
    });
    expect(verdict.reason).toMatch(/\.$/);
  });

  test.each(INDETERMINATE)("%s is Indéterminé, with advice", (sub) => {
    const { verdict, reason, consequence } = signatureVerdict(signature(sub));
    expect(verdict).toBe("indeterminate");
    expect(reason).toMatch(/\.$/);
    expect(consequence).toMatch(/\.$/);
  });

  test("each reason is different", () => {
    const reasons = [...FAILED, ...INDETERMINATE].map(
      (sub) => signatureVerdict(signature(sub)).reason,
    );
    expect(new Set(reasons).size).toBe(reasons.length);
  });

  test("a failure of form is explained", () => {
    const failed = signature("FORMAT_FAILURE", "TOTAL_FAILED");
    expect(signatureVerdict({ ...failed, coverage: "partial" }).reason).toBe(
      "La signature ne couvre pas tout le document.",
    );
    expect(signatureVerdict({ ...failed, laterChanges: "other" }).reason).toContain(
      "modifié après cette signature",
    );
    expect(signatureVerdict({ ...failed, laterChanges: "unsigned_filling" })).toEqual({
      verdict: "invalid",
      reason:
        "Des champs ont été remplis après la dernière signature, ou par quelqu’un d’autre que leur signataire.",
      consequence: "Ne vous fiez pas à ce document.",
    });
  });

  test("a report without a sub-indication is explained", () => {
    expect(signatureVerdict(signature(null)).reason).toBe(
      "La signature n’a pas pu être vérifiée jusqu’au bout.",
    );
  });
});

describe("what a validation notes of signatures", () => {
  const file = (...warned: (readonly string[])[]): CheckedFile => ({
    isStored: true,
    isNamed: true,
    problems: [],
    signatures: warned.map((warnings) => ({
      indication: "TOTAL_PASSED",
      said: {
        verdict: "valid",
        reason: "La signature est valide.",
        consequence: "Vous pouvez vous y fier.",
      },
      warnings,
      isIntact: true,
      level: "B-T",
      isOurs: true,
    })),
    expectedCount: warned.length,
  });

  test("each warning has a sentence", () => {
    const [other, dated] = warningsOfSignature(["issuer_serial_differs", "signing_time_attribute"]);
    expect(other).toContain("numéro de série");
    expect(dated).toContain("aucun niveau PAdES");
  });

  test("a warning of several signatures is given once", () => {
    expect(warningsOfFiles([file(["a"], ["b", "a"]), file([]), file(["b"])])).toEqual(["a", "b"]);
  });
});

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
  [
    "whose deadline passed",
    { expired: true },
    ["Non\u00a0: l’échéance est passée", "N’a pas signé"],
  ],
  ["that somebody refused", { declined: true }, ["Non, et ne le sera pas", "N’a pas signé"]],
] as const)("the proof page of an envelope %s says what to expect", (_what, part, said) => {
  const words = wordsOf(part);
  for (const one of said) expect(words).toContain(one);
  expect(words.includes("attendue")).toBe(said[1] === "Signature attendue");
});
