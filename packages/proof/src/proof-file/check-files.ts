import { sha256 } from "@noble/hashes/sha2.js";
import { notValidatedSentence } from "@paraphe/contracts/proof/not-validated";
import type { ProofContent } from "@paraphe/contracts/proof/proof-file";
import { fromBase64, toHex } from "@paraphe/kernel/bytes";
import { formatInstant } from "@paraphe/kernel/french-dates";
import { type SignatureReport, type ValidationReport, validate } from "@paraphe/pades";
import { isFileNamed, isNamed, matchFile, serialNumber } from "../match-file.ts";
import type { CheckContext, CheckState, GivenFile, ProofCheck } from "./types.ts";

type Listed = ProofContent["files"][number];
type Recorded = ProofContent["signatures"][number];

/** Checks each file given, and names each one missing. */
export async function checkFiles(
  context: CheckContext,
  given: readonly ReadFile[],
): Promise<readonly ProofCheck[]> {
  const checks: ProofCheck[] = [];
  for (const file of given) {
    const about = (name: ProofCheck["name"], state: CheckState, sentence: string): ProofCheck => ({
      name,
      state,
      subject: file.name,
      sentence,
    });
    if (file.listed.length === 0)
      checks.push(
        about(
          "file",
          "failed",
          `${unlisted(context.facts, file.hash)} (empreinte SHA-256 ${file.hash}).`,
        ),
      );
    for (const one of file.listed) {
      checks.push(
        about(
          "file",
          "ok",
          `Ce fichier est, à l’octet près, «\u00a0${one.name ?? one.document}\u00a0» (SHA-256 ${file.hash}).`,
        ),
      );
      checks.push(
        ...(await checkSignatures(context, { listed: one, file })).map((check) => ({
          ...check,
          subject: file.name,
        })),
      );
    }
  }
  const missing = context.content.files.filter(
    ({ sha256: hash }) => !given.some((file) => file.hash === hash),
  );
  return [...checks, ...missing.map(missingFile)];
}

function unlisted({ annulled, files }: CheckContext["facts"], hash: string): string {
  const annulledAt = annulled.get(hash);
  if (annulledAt !== undefined)
    return `Ce fichier est d’une version renvoyée le ${formatInstant(annulledAt)}\u00a0: ses signatures sont annulées`;
  return [...files.values()].some((ofDocument) => ofDocument.includes(hash))
    ? "Ce fichier est une version antérieure\u00a0: le document a été complété depuis"
    : "Ce fichier n’est pas celui qui a été signé, ou il a été modifié depuis";
}

function missingFile({ name, sha256: hash }: Listed): ProofCheck {
  return {
    name: "file",
    state: "not_checked",
    subject: name,
    sentence: `Ce fichier n’a pas été donné. Son empreinte attendue est ${hash}.`,
  };
}

type FileWork = { readonly listed: Listed; readonly file: ReadFile };

const said = (name: ProofCheck["name"], state: CheckState, sentence: string): ProofCheck => ({
  name,
  state,
  subject: null,
  sentence,
});

async function checkSignatures(
  context: CheckContext,
  work: FileWork,
): Promise<readonly ProofCheck[]> {
  const { content } = context;
  const recorded = content.signatures.filter(({ document }) => document === work.listed.document);
  if (recorded.length === 0)
    return [said("signatures", "not_checked", content.purged ? PURGED : UNSIGNED)];
  const report = await work.file.report();
  const notValidated = notValidatedSentence(report.problems);
  const isFailed = report.signatures.some(({ indication }) => indication === "TOTAL_FAILED");
  if (notValidated !== null && !isFailed) return [said("signatures", "not_checked", notValidated)];
  const fault = journalFault(context, work, report);
  if (fault !== null) return [said("signatures", "failed", fault)];
  return [
    await checkValidity(context, work, { report, recorded }),
    recorded.every((row) => {
      const own = findSignature(report, row);
      return own !== undefined && isSame(row, own);
    })
      ? said("link", "ok", LINKED)
      : said("link", "failed", NOT_LINKED),
  ];
}

const LINKED =
  "Les signataires, leurs certificats et leurs heures sont les mêmes dans le fichier et dans la preuve.";
const NOT_LINKED = "Une signature que la preuve nomme n’est pas celle que le fichier porte.";

function journalFault(
  context: CheckContext,
  work: FileWork,
  report: ValidationReport,
): string | null {
  const { content, facts } = context;
  const { named, unnamed, faults } = matchFile(
    facts,
    { envelope: content.envelope, document: work.listed.document },
    report,
  );
  if (named.some((one) => one.report === undefined))
    return "Une signature que l’historique nomme ne se trouve pas dans ce fichier.";
  if (unnamed.length > 0)
    return "Ce fichier porte une signature faite par ce service que l’historique ne nomme pas.";
  if (faults[0] !== undefined) return faults[0];
  return isGrown(context, work, report)
    ? null
    : "Ce fichier ne commence pas par ceux que l’historique nomme avant lui\u00a0: c’est un autre document.";
}

type Found = { readonly report: ValidationReport; readonly recorded: readonly Recorded[] };

async function checkValidity(
  { provenAt }: CheckContext,
  { file }: FileWork,
  { report, recorded }: Found,
): Promise<ProofCheck> {
  const own = recorded.flatMap((row) => findSignature(report, row) ?? []);
  const others = report.signatures.filter(
    (signature) => signature.kind === "signature" && !own.includes(signature),
  );
  const failed = [...own, ...others].some(({ indication }) => indication === "TOTAL_FAILED");
  if (report.problems.length > 0 || failed)
    return said(
      "signatures",
      "failed",
      "Une signature n’est pas valide, ou le fichier a été modifié après elle.",
    );
  const foreign = others.filter(({ indication }) => indication !== "TOTAL_PASSED").length;
  const rest = foreign === 0 ? "" : ` Il porte aussi ${describeForeign(foreign)}.`;
  const signers = `${recorded.map(describeSigner).join(", ")}.${rest}`;
  if (own.every(({ indication }) => indication === "TOTAL_PASSED"))
    return said("signatures", "ok", `Signatures valides et fichier intact\u00a0: ${signers}`);
  const then = await file.reportThen();
  const passedThen = recorded.every(
    (row) => findSignature(then, row)?.indication === "TOTAL_PASSED",
  );
  if (passedThen && provenAt !== null)
    return said(
      "signatures",
      "ok",
      `Fichier intact\u202f; signatures valides quand la preuve a été horodatée, un certificat ayant expiré depuis\u00a0: ${signers}`,
    );
  return said(
    "signatures",
    "not_checked",
    passedThen
      ? "Les signatures étaient valides quand la preuve a été faite\u202f; un certificat a expiré depuis, et rien n’en prolonge la valeur."
      : "Rien n’a été modifié, mais une signature ne peut pas être vérifiée jusqu’au bout avec ce qui est donné ici.",
  );
}

const describeForeign = (count: number): string =>
  count > 1
    ? `${count}\u00a0signatures d’une autre origine, dont rien ici ne dit les auteurs`
    : "une signature d’une autre origine, dont rien ici ne dit l’auteur";

const PURGED = "La preuve ne nomme plus les signatures d’une enveloppe supprimée.";
const UNSIGNED = "La preuve ne nomme aucune signature de ce fichier.";

/** Each file of a document begins with the one before. */
function isGrown(
  { facts }: CheckContext,
  { listed, file: { bytes } }: FileWork,
  { signatures }: ValidationReport,
): boolean {
  const hash = sha256.create();
  const running = {
    update: (part: Uint8Array) => hash.update(part),
    digestSoFar: () => toHex(hash.clone().digest()),
  };
  const ends = signatures.map(({ revisionLength }) => revisionLength);
  return (
    ends.length === 0 ||
    isFileNamed(facts, { document: listed.document, sha256: listed.sha256, bytes, ends }, running)
  );
}

function describeSigner({ signer_name, level }: Recorded): string {
  return level === null ? signer_name : `${signer_name} (${level})`;
}

function isSame(
  { signer_name, serial_number, timestamp: stated }: Recorded,
  { certificate, timestamp }: SignatureReport,
): boolean {
  return (
    certificate !== null &&
    isNamed(signer_name, certificate) &&
    serialNumber(serial_number) === serialNumber(certificate.serialNumber) &&
    (stated?.time ?? null) === (timestamp?.time.toISOString() ?? null) &&
    (stated?.tsa ?? null) === (timestamp?.authorityName ?? null)
  );
}

/**
 * Finds it by the whole certificate and the field, as the organisation's may sign several times.
 */
export function findSignature(
  report: ValidationReport,
  { field, certificate, certificate_sha256 }: ProofContent["signatures"][number],
): SignatureReport | undefined {
  const stated = certificate === null ? certificate_sha256 : toHex(sha256(fromBase64(certificate)));
  if (certificate_sha256 !== undefined && certificate_sha256 !== stated) return undefined;
  return report.signatures.find(
    (signature) =>
      signature.kind === "signature" &&
      signature.fieldName === field &&
      signature.certificate?.sha256 === stated,
  );
}

/** `listed`: the proof's entries; `report`: now; `reportThen`: at the time of the proof. */
export type ReadFile = GivenFile & {
  readonly hash: string;
  readonly listed: readonly ProofContent["files"][number][];
  report(): Promise<ValidationReport>;
  reportThen(): Promise<ValidationReport>;
};

export function readGivenFiles(
  { content, evidence, now, madeAt, provenAt }: CheckContext,
  given: readonly GivenFile[],
): readonly ReadFile[] {
  return given.map((file) => {
    const hash = toHex(sha256(file.bytes));
    return {
      ...file,
      hash,
      listed: content.files.filter((one) => one.sha256 === hash),
      report: once(() => validate(file.bytes, { evidence, now })),
      // EN 319 102-1 §5.6.2.2: the proof's time-stamp, which names this file, proves its existence.
      reportThen: once(() => validate(file.bytes, { evidence, now: provenAt ?? madeAt })),
    };
  });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}
