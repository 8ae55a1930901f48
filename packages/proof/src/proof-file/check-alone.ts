import { unjudgedSentence } from "@paraphe/contracts/unjudged-file";
import { sha256 } from "@noble/hashes/sha2.js";
import { type SignatureReport, validate, type ValidationReport } from "@paraphe/pades";
import { toHex } from "./bytes.ts";
import { namedRoots } from "./check-seal.ts";
import type { BroughtFile, CheckState, ProofCheck, RootFacts, StatedSignature } from "./types.ts";

type Given = { readonly roots: readonly Uint8Array[]; readonly now: Date };
type Judged = { readonly name: string; readonly hash: string; readonly report: ValidationReport };

/**
 * Checks the signatures that files bear, without a proof. `signatures`: what the files state of who signed them.
 * Shape: `roots` are DER; only a root that the reader gave makes a signature right, and only the proof says that nobody is missing.
 */
export async function checkAlone(
  files: readonly BroughtFile[],
  { roots, now }: Given,
): Promise<{
  readonly checks: readonly ProofCheck[];
  readonly roots: readonly RootFacts[];
  readonly signatures: readonly StatedSignature[];
}> {
  const evidence = { trustAnchors: { signers: roots, timestamps: roots } };
  const judged: Judged[] = [];
  for (const { name, bytes } of files) judged.push({ name, hash: toHex(sha256(bytes)), report: await validate(bytes, { evidence, now }) });
  const checks = judged.map(checkOne);
  const isRooted = checks.length > 0 && checks.every(({ state }) => state === "ok");
  const anchors = isRooted ? namedRoots(roots) : [];
  const rootSaid = anchors.map(({ name, fingerprint }) => `«\u00a0${name}\u00a0», empreinte SHA-256 ${fingerprint}`).join("\u202f; ");
  const root = {
    name: "root",
    state: "ok",
    subject: null,
    sentence: `Tout est vérifié d’après ce que vous avez donné\u00a0: ${rootSaid}.`,
  } as const;
  return { checks: isRooted ? [root, ...checks] : checks, roots: anchors, signatures: judged.flatMap(stated) };
}

function checkOne({ name, hash, report }: Judged): ProofCheck {
  const said = (state: CheckState, sentence: string): ProofCheck => ({
    name: "signatures",
    state,
    subject: name,
    sentence: `${sentence} Empreinte du fichier (SHA-256)\u00a0: ${hash}.`,
  });
  const own = signaturesOf(report);
  const unjudged = unjudgedSentence(report.problems);
  if (unjudged !== null && !own.some(isFailed)) return said("not_checked", unjudged);
  if (own.length === 0)
    return report.problems.length === 0
      ? said(
          "not_checked",
          "Ce PDF ne porte aucune signature électronique\u00a0: une copie à imprimer, par exemple, n’est jamais le fichier signé.",
        )
      : said("not_checked", "Aucune signature électronique n’a pu être lue dans ce PDF.");
  if (report.indication === "TOTAL_FAILED")
    return said("failed", "Une signature n’est pas valide, ou le fichier a été modifié après elle.");
  if (report.indication === "TOTAL_PASSED")
    return said("ok", `Signatures valides et fichier intact\u00a0: ${own.map(({ signerName }) => signerName ?? "sans nom").join(", ")}.`);
  return said(
    "not_checked",
    "Rien n’a été modifié après les signatures, mais rien ici ne dit si leurs certificats sont dignes de confiance.",
  );
}

const isFailed = ({ indication }: SignatureReport): boolean => indication === "TOTAL_FAILED";

function stated({ name, report }: Judged): readonly StatedSignature[] {
  return signaturesOf(report).map(({ signerName, timestamp, claimedTime }) => ({
    file: name,
    name: signerName,
    at: timestamp?.time ?? claimedTime,
  }));
}

function signaturesOf({ signatures }: ValidationReport): readonly SignatureReport[] {
  return signatures.filter(({ kind }) => kind === "signature");
}
