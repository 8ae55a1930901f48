import { fromBase64, toHex } from "@paraphe/kernel/bytes";
import type { ProofContent } from "@paraphe/contracts/proof-file";
import {
  type Certificate,
  parseCertificate,
  parseCrl,
  parseOcspResponse,
  type SignatureReport,
} from "@paraphe/pades/parts";
import { serialNumber } from "../match-file.ts";
import { findSignature, type ReadFile } from "./check-files.ts";
import { readCertificates } from "./check-facts.ts";
import type { CheckContext, CheckState, ProofCheck } from "./types.ts";

type Recorded = ProofContent["signatures"][number];
type Card = NonNullable<ProofContent["certificate"]>;
type Fault = string;
/** Reports now and at the time of the proof; null where the file or signature is missing. */
type SignatureToCompare = {
  readonly row: Recorded;
  readonly reports: readonly [now: SignatureReport, then: SignatureReport] | null;
};
/** `isWhole`: no file was missing. */
type Comparison = { readonly faults: readonly Fault[]; readonly isWhole: boolean };

const check = (state: CheckState, sentence: string): ProofCheck => ({
  name: "cards",
  state,
  subject: null,
  sentence,
});

/** Compares what a proof shows with files and certificates, except `reason`, `warnings` and MD5. */
export async function checkCards(
  context: CheckContext,
  given: readonly ReadFile[],
): Promise<ProofCheck> {
  const { content } = context;
  if (content.purged) return purgedCards(content);
  const signatures = await signaturesToCompare(content, given);
  const found = [
    compareLevel(content, signatures),
    await compareFiles(content, given),
    compareCertificate(content, signatures),
  ];
  const faults = found.flatMap((one) => one.faults);
  if (faults.length > 0)
    return check(
      "failed",
      `Ce que la preuve affiche n’est pas ce que disent les fichiers et les certificats\u00a0: ${faults.join(", ")}.`,
    );
  if (found.some(({ isWhole }) => !isWhole))
    return check(
      "not_checked",
      "Ce que la preuve affiche des fichiers (signatures, niveau, intégrité, pages) ne se vérifie qu’avec tous les PDF.",
    );
  return check(
    "ok",
    "Le certificat, sa révocation, les horodatages, le niveau, l’intégrité et les pages que la preuve affiche sont ceux des fichiers.",
  );
}

function purgedCards({
  certificate,
  integrity,
  level,
  documents,
  signatures,
}: ProofContent): ProofCheck {
  const isBare =
    certificate === null &&
    !integrity &&
    level === null &&
    signatures.length === 0 &&
    documents.every(({ page_count }) => page_count === null);
  return isBare
    ? check("ok", "D’une enveloppe supprimée, la preuve n’affiche rien qui soit à vérifier.")
    : check(
        "failed",
        "La preuve affiche des signatures d’une enveloppe dont elle dit que les fichiers ont été supprimés.",
      );
}

async function signaturesToCompare(
  { files, signatures }: ProofContent,
  given: readonly ReadFile[],
): Promise<readonly SignatureToCompare[]> {
  return Promise.all(
    signatures.map(async (row): Promise<SignatureToCompare> => {
      const listed = files.find(({ document }) => document === row.document);
      const file = given.find(({ hash }) => hash === listed?.sha256);
      if (file === undefined) return { row, reports: null };
      const [now, then] = [
        findSignature(await file.report(), row),
        findSignature(await file.reportThen(), row),
      ];
      return { row, reports: now === undefined || then === undefined ? null : [now, then] };
    }),
  );
}

const LEVELS = ["B-B", "B-T", "B-LT", "B-LTA"] as const;

/** The lowest common level; an expired certificate may lower it since. */
function compareLevel(
  { level, verdict, integrity }: ProofContent,
  signatures: readonly SignatureToCompare[],
): Comparison {
  const ranks = signatures.map(({ row }) => (row.level === null ? -1 : LEVELS.indexOf(row.level)));
  const lowest = ranks.length === 0 ? null : (LEVELS[Math.min(...ranks)] ?? null);
  const faults: Fault[] = [];
  // Both are absent when the service could not validate a file.
  if (level !== lowest && !(verdict === "indeterminate" && !integrity && level === null))
    faults.push("le niveau");
  if (verdict === "valid" && !integrity) faults.push("l’intégrité");
  for (const { row, reports } of signatures)
    if (reports !== null && reports.every((report) => report.level !== row.level))
      faults.push(`le niveau de la signature de «\u00a0${row.signer_name}\u00a0»`);
  return { faults, isWhole: integrity || verdict !== "indeterminate" };
}

/** Sub-indications of altered bytes. Source: EN 319 102-1 §5.1.3. */
const BROKEN: ReadonlySet<string> = new Set([
  "FORMAT_FAILURE",
  "HASH_FAILURE",
  "SIG_CRYPTO_FAILURE",
  "SIGNED_DATA_NOT_FOUND",
]);

const isIntact = ({ coverage, laterChanges, subIndication }: SignatureReport): boolean =>
  coverage !== "partial" && laterChanges !== "other" && !BROKEN.has(subIndication ?? "");

async function compareFiles(
  { files, documents, integrity }: ProofContent,
  given: readonly ReadFile[],
): Promise<Comparison> {
  const faults: Fault[] = [];
  let isWhole = true;
  for (const [index, { sha256, size_bytes }] of files.entries()) {
    const file = given.find(({ hash }) => hash === sha256);
    if (file === undefined) {
      isWhole = false;
      continue;
    }
    const { pageCount, problems, signatures } = await file.report();
    const stated = documents[index]?.page_count ?? null;
    if (stated !== pageCount) faults.push(`le nombre de pages de «\u00a0${file.name}\u00a0»`);
    if (size_bytes !== file.bytes.length) faults.push(`la taille de «\u00a0${file.name}\u00a0»`);
    const own = signatures.filter(({ kind }) => kind === "signature");
    if (integrity && (problems.length > 0 || !own.every(isIntact))) faults.push("l’intégrité");
  }
  return { faults, isWhole };
}

/** The proof shows the certificate of the last signature, by time-stamp. */
function compareCertificate(
  { certificate: card, certificates, revocation }: ProofContent,
  signatures: readonly SignatureToCompare[],
): Comparison {
  const borne = signatures.filter(({ row }) => row.field !== null);
  if (card === null)
    return { faults: borne.length === 0 ? [] : ["le certificat, qui manque"], isWhole: true };
  const timeOf = ({ row }: SignatureToCompare): number =>
    row.timestamp === null ? 0 : Date.parse(row.timestamp.time);
  const last = Math.max(...borne.map(timeOf));
  const shown = borne.find(
    (one) =>
      timeOf(one) === last &&
      serialNumber(one.row.serial_number) === serialNumber(card.serial_number),
  );
  if (shown === undefined)
    return {
      faults: ["le certificat, qui n’est pas celui de la dernière signature"],
      isWhole: true,
    };
  const { row, reports } = shown;
  const der =
    row.certificate === null
      ? (reports?.[0].certificate?.der ?? null)
      : fromBase64(row.certificate);
  const [readable] = der === null ? [] : readCertificates(der);
  const time = { found: row.timestamp, said: card.timestamp };
  const faults: Fault[] = [
    ...(time.found?.time === time.said?.time && time.found?.tsa === time.said?.tsa
      ? []
      : ["l’horodatage"]),
    ...(der === null
      ? []
      : readable === undefined
        ? ["le certificat"]
        : compareNamed(card, parseCertificate(readable), { certificates, revocation })),
    ...(reports === null ? [] : compareReported(card, reports)),
  ];
  return { faults, isWhole: der !== null && reports !== null };
}

type Brings = Pick<ProofContent, "certificates" | "revocation">;

function compareNamed(
  card: Card,
  certificate: Certificate,
  { certificates, revocation }: Brings,
): readonly Fault[] {
  const { subject, notBefore, notAfter } = certificate;
  const { CN, O, C } = card.subject;
  const isNamed =
    CN === subject.commonName &&
    O === (subject.organization ?? null) &&
    C === (subject.country ?? null);
  const isLasting =
    card.valid_from === notBefore.toISOString() && card.valid_to === notAfter.toISOString();
  return [
    ...(isNamed ? [] : ["le nom du certificat"]),
    ...(isLasting ? [] : ["les dates du certificat"]),
    ...(hasPath(card, certificate, certificates) ? [] : ["les autorités du certificat"]),
    ...compareRevocation(card.revocation, certificate, revocation),
  ];
}

/** The certificate's path; a reader's root may end it earlier. */
function hasPath(
  { issuers, valid_at_signing }: Card,
  certificate: Certificate,
  { issuer, root, issuers: others, roots }: ProofContent["certificates"],
): boolean {
  if (issuers.length === 0) return valid_at_signing !== true;
  const known = [issuer, root, ...others, ...roots].map((text) =>
    parseCertificate(fromBase64(text)),
  );
  const names: string[] = [];
  for (let last = certificate; names.length <= known.length; ) {
    const parent = known.find(({ subjectDer }) => toHex(subjectDer) === toHex(last.issuerDer));
    if (parent === undefined || toHex(last.subjectDer) === toHex(last.issuerDer)) break;
    names.push(parent.subject.commonName);
    last = parent;
  }
  return names.join("\n") === issuers.join("\n");
}

/** By the proof's OCSP answers and lists; their addresses are in the certificate. */
function compareRevocation(
  shown: Card["revocation"],
  certificate: Certificate,
  { ocsps, crls }: ProofContent["revocation"],
): readonly Fault[] {
  const serial = serialNumber(toHex(certificate.serialNumber));
  const answers = ocsps
    .flatMap((text) => parseOcspResponse(fromBase64(text))?.answers ?? [])
    .filter(({ certId }) => serialNumber(toHex(certId.serialNumber)) === serial)
    .map(({ status, thisUpdate }) => `${status} ${thisUpdate.toISOString()}`);
  const lists = crls
    .map((text) => parseCrl(fromBase64(text)))
    .filter(({ issuerDer }) => toHex(issuerDer) === toHex(certificate.issuerDer))
    .map(({ revoked, thisUpdate }) => {
      const isListed = [...revoked.keys()].some((listed) => serialNumber(listed) === serial);
      return `${isListed ? "revoked" : "good"} ${thisUpdate.toISOString()}`;
    });
  const isSaid = (status: string | null, at: string | null, known: readonly string[]): boolean =>
    status === null ? at === null && known.length === 0 : known.includes(`${status} ${at}`);
  return [
    ...(isSaid(shown.ocsp_status, shown.ocsp_at, answers) ? [] : ["la réponse OCSP"]),
    ...(isSaid(shown.crl_status, shown.crl_at, lists) ? [] : ["la liste de révocation"]),
    ...(shown.ocsp_url === (certificate.ocspUrls[0] ?? null) &&
    shown.crl_url === (certificate.crlUrls[0] ?? null)
      ? []
      : ["les adresses de révocation"]),
  ];
}

const AT_SIGNING = { TOTAL_PASSED: true, INDETERMINATE: null, TOTAL_FAILED: false } as const;

function compareReported(
  card: Card,
  reports: NonNullable<SignatureToCompare["reports"]>,
): readonly Fault[] {
  const isSaid = (says: (report: SignatureReport) => boolean): boolean => reports.some(says);
  return [
    ...(isSaid(({ hashAlgorithm }) => hashAlgorithm === card.hash_algorithm)
      ? []
      : ["l’algorithme de hachage"]),
    ...(isSaid(({ indication }) => AT_SIGNING[indication] === card.valid_at_signing)
      ? []
      : ["la validité au moment de la signature"]),
  ];
}
