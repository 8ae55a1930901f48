import { describe, expect, it } from "vitest";
import { judgeProof, type JudgedFile, type JudgedSignature } from "./judge-proof.ts";

const signature = (changes: Partial<JudgedSignature> = {}): JudgedSignature => ({
  indication: "TOTAL_PASSED",
  said: { verdict: "valid", reason: "La signature est valide.", consequence: "Vous pouvez vous y fier." },
  warnings: [],
  isIntact: true,
  level: "B-T",
  isOurs: true,
  ...changes,
});
const file = (changes: Partial<JudgedFile> = {}): JudgedFile => ({
  isStored: true,
  isNamed: true,
  problems: [],
  signatures: [signature()],
  recordedCount: 1,
  ...changes,
});

describe("the verdict on an envelope", () => {
  it("is valid when every signature is passed and nobody is awaited", () => {
    expect(judgeProof([file(), file()], 0)).toMatchObject({ verdict: "valid", integrity: true, level: "B-T" });
  });

  it("is indeterminate while somebody is awaited, or nobody signed", () => {
    expect(judgeProof([file()], 1)).toMatchObject({
      verdict: "indeterminate",
      integrity: true,
      reason: expect.stringContaining("une signature est encore attendue"),
    });
    expect(judgeProof([file()], 2).reason).toContain("2 signatures sont encore attendues");
    expect(judgeProof([file({ signatures: [], recordedCount: 0 })], 2)).toMatchObject({ verdict: "indeterminate", level: null });
  });

  it("is indeterminate when a signature cannot be verified to the end", () => {
    expect(judgeProof([file({ signatures: [signature({ indication: "INDETERMINATE" })] })], 0)).toMatchObject({
      verdict: "indeterminate",
      integrity: true,
    });
  });

  it("does not ask of a signature that came with the file to chain to our root", () => {
    const foreign = signature({ indication: "INDETERMINATE", isOurs: false, level: null });
    expect(judgeProof([file({ signatures: [foreign, signature()] })], 0)).toMatchObject({ verdict: "valid", level: "B-T" });
  });

  it("never counts among the valid ones a signature that came with the file and that nobody here can verify", () => {
    const foreign = signature({ indication: "INDETERMINATE", isOurs: false, level: null });
    expect(judgeProof([file({ signatures: [foreign, signature()] })], 0).reason).toBe(
      "Les signatures recueillies par ce service sont valides et le document n’a pas été modifié depuis. Il portait déjà une signature d’une autre origine, dont l’auteur ne peut pas être vérifié ici.",
    );
    expect(judgeProof([file({ signatures: [foreign, foreign, signature()] })], 0).reason).toContain("2 signatures d’une autre origine");
  });

  it("tells what is wrong with the file itself before what its signatures say of it", () => {
    const formless = signature({
      indication: "TOTAL_FAILED",
      isIntact: false,
      said: { verdict: "invalid", reason: "La signature n’a pas la forme attendue.", consequence: "Ne vous fiez pas à ce document." },
    });
    const said = (problem: string) => judgeProof([file({ problems: [problem], signatures: [formless] })], 0).reason;
    expect(said("unlisted_signature")).toBe(
      "Ce fichier montre une signature que rien ne permet de vérifier\u00a0: elle n’est la valeur d’aucun champ. Ne vous fiez pas à ce document.",
    );
    expect(said("pdf_damaged")).toBe("La signature n’a pas la forme attendue. Ne vous fiez pas à ce document.");
  });

  it.each<[string, JudgedFile]>([
    ["a signature failed", file({ signatures: [signature({ indication: "TOTAL_FAILED" })] })],
    ["the document was changed after a signature", file({ signatures: [signature({ isIntact: false })] })],
    ["the file has something after its end", file({ problems: ["trailing bytes"] })],
    ["a recorded signature is not in the file", file({ recordedCount: 2 })],
    ["the stored file is missing or another", file({ isStored: false, signatures: [] })],
    ["the journal names another file for this document", file({ isNamed: false })],
  ])("is invalid when %s", (_, bad) => {
    expect(judgeProof([file(), bad], 0)).toMatchObject({ verdict: "invalid", integrity: _ === "a signature failed" });
  });

  it("tells a stored file that is gone from one that is another, which is worse", () => {
    const [gone, other] = [file({ isStored: false, isMissing: true }), file({ isStored: false })];
    expect(judgeProof([file(), gone], 0)).toMatchObject({ verdict: "invalid", reason: expect.stringContaining("est introuvable") });
    expect(judgeProof([gone, other], 0).reason).toMatch(/n’est pas celui qui a été signé/);
  });

  it.each(["encrypted", "pdf_encrypted", "pdf_encrypted_for_recipients", "pdf_too_complex"])(
    "leaves undecided what cannot be judged (%s), with its reason, whatever its signatures look like",
    (problem) => {
      const formless = signature({ indication: "TOTAL_FAILED", isIntact: false });
      for (const signatures of [[formless], []]) {
        const { reason, ...judged } = judgeProof([file(), file({ problems: [problem], signatures })], 1);
        expect(judged).toEqual({ verdict: "indeterminate", integrity: false, level: null });
        expect(reason).toMatch(/(Demandez-en un exemplaire non (chiffré|protégé)|Vérifiez-le avec un autre logiciel)\.$/);
        expect(reason).not.toContain("Ne vous fiez pas");
      }
    },
  );

  it("still finds invalid what is: a fault of its own beside that, or of another file", () => {
    const unjudged = file({ problems: ["encrypted"], signatures: [] });
    expect(judgeProof([file({ problems: ["encrypted", "unlisted_signature"] })], 0)).toMatchObject({
      verdict: "invalid",
      integrity: false,
    });
    expect(judgeProof([unjudged, file({ signatures: [signature({ isIntact: false })] })], 0).verdict).toBe("invalid");
    expect(judgeProof([{ ...unjudged, isStored: false }], 0).verdict).toBe("invalid");
    expect(judgeProof([{ ...unjudged, isNamed: false }], 0).verdict).toBe("invalid");
  });

  it("tells the lowest level of all", () => {
    expect(judgeProof([file({ signatures: [signature({ level: "B-LTA" })] }), file()], 0).level).toBe("B-T");
    expect(judgeProof([file({ signatures: [signature({ level: null })] })], 0).level).toBeNull();
  });

  it("says of the first signature that is not passed what is wrong with it, and what follows", () => {
    const said = { verdict: "indeterminate", reason: "L’état du certificat manque.", consequence: "Recommencez plus tard." } as const;
    const [doubtful] = [signature({ indication: "INDETERMINATE", said })];
    expect(judgeProof([file({ signatures: [signature(), doubtful], recordedCount: 2 })], 0).reason).toBe(
      "L’état du certificat manque. Recommencez plus tard.",
    );
    const broken = { verdict: "invalid", reason: "Le document a été modifié.", consequence: "Ne vous y fiez pas." } as const;
    const failed = signature({ indication: "TOTAL_FAILED", isIntact: false, said: broken });
    expect(judgeProof([file({ signatures: [doubtful, failed], recordedCount: 2 })], 0)).toMatchObject({
      verdict: "invalid",
      reason: "Le document a été modifié. Ne vous y fiez pas.",
    });
  });
});
