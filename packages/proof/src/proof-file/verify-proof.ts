import type { ProofContent } from "@paraphe/contracts/proof/proof-file";
import { validate, type ValidationReport } from "@paraphe/pades";
import {
  PadesError,
  type Certificate,
  parseCertificate,
  parseCrl,
  parseOcspResponse,
  type SignatureReport,
} from "@paraphe/pades/parts";
import { type JournalFacts, readJournal } from "../journal.ts";
import { checkFacts, readCertificates } from "./check-facts.ts";
import { type ReadFile, checkFiles, readGivenFiles, findSignature } from "./check-files.ts";
import { checkJournal, checkLog } from "./check-journal.ts";
import {
  checkRoot,
  checkSealChain,
  checkSealed,
  checkSealKey,
  namedRoots,
  checkStamp,
} from "./check-seal.ts";
import { readerTrust, type ReadProofFile, readProofFile } from "./reader-trust.ts";
import {
  type CheckContext,
  type CheckState,
  PAGES_UNCHECKED,
  type ProofCheck,
  type ProofReport,
  type ProofRequest,
} from "./types.ts";
import { fromBase64, toHex } from "@paraphe/kernel/bytes";
import { serialNumber } from "../match-file.ts";

/** One failed check decides; an unchecked part excludes `valid`. */
export function conclude(checks: readonly ProofCheck[]): Pick<ProofReport, "verdict" | "summary"> {
  const has = (state: ProofCheck["state"]) => checks.some((check) => check.state === state);
  if (has("failed"))
    return {
      verdict: "invalid",
      summary: "Quelque chose ne tient pas. Ne vous fiez pas à ces fichiers.",
    };
  if (has("not_checked"))
    return {
      verdict: "indeterminate",
      summary: "Rien ne se contredit, mais tout n’a pas pu être vérifié ici.",
    };
  return { verdict: "valid", summary: "Tout a été vérifié, et tout tient." };
}

/** A forger replaces certificates with their root. */
const ROOT_DEPENDENT: ReadonlySet<ProofCheck["name"]> = new Set([
  "seal",
  "stamp",
  "seal_chain",
  "completion",
  "signatures",
  "checkpoint",
  "statement",
  "paper",
]);

/** Applies while the reader trusts no root. */
export function downgradeUntrusted(checks: readonly ProofCheck[]): readonly ProofCheck[] {
  if (checks.some(({ name, state }) => name === "root" && state === "ok")) return checks;
  return checks.map((check) =>
    check.state === "ok" && ROOT_DEPENDENT.has(check.name)
      ? { ...check, state: "not_checked", sentence: supposed(check) }
      : check,
  );
}

function supposed({ sentence }: ProofCheck): string {
  return `Si la racine est bien celle du service\u00a0: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

type FileWork = { readonly context: CheckContext; readonly files: readonly ReadFile[] };

/** Only the proof's own authority proves these times; other comparisons use the service's view. */
async function downgradeUntrustedTimes(
  checks: readonly ProofCheck[],
  { context, files }: FileWork,
): Promise<readonly ProofCheck[]> {
  const { evidence, trusted, now, provenAt } = context;
  const given = new Set(trusted.trustAnchors.timestamps.map(String));
  if (evidence.trustAnchors.timestamps.every((der) => given.has(String(der)))) return checks;
  const dependent = new Set<string>();
  for (const file of files) {
    // A certificate may have expired since the proof.
    const moments = provenAt === null ? [now] : [now, provenAt];
    const own = passedIn(
      await Promise.all(moments.map((at) => validate(file.bytes, { evidence: trusted, now: at }))),
    );
    if (
      [...passedIn([await file.report(), await file.reportThen()])].some((index) => !own.has(index))
    )
      dependent.add(file.name);
  }
  return checks.map((check) =>
    check.name === "signatures" && check.state === "ok" && dependent.has(check.subject ?? "")
      ? { ...check, state: "not_checked", sentence: SUPPOSED }
      : check,
  );
}

/** Indices of signatures that pass in one of these reports. */
function passedIn(reports: readonly ValidationReport[]): ReadonlySet<number> {
  return new Set(
    reports.flatMap(({ signatures }) =>
      signatures.flatMap(({ indication }, index) => (indication === "TOTAL_PASSED" ? [index] : [])),
    ),
  );
}

const SUPPOSED =
  "Le fichier est intact, et ses signatures sont valides si l’autorité qui les horodate, que la preuve seule nomme, est digne de foi\u00a0: rien ne le dit, à moins que vous ne donniez vous-même son certificat.";

const said = (state: ProofCheck["state"], sentence: string): ProofCheck => ({
  name: "completion",
  state,
  subject: null,
  sentence,
});

function checkCompletion(content: ProofContent, facts: JournalFacts): ProofCheck {
  const { signers, completed, cancelled, purged, files, verdict, reason, chain, signatures } =
    content;
  if (verdict === "invalid")
    return said(
      "failed",
      `Quand la preuve a été faite, le service lui-même la disait non valide\u00a0: ${reason}`,
    );
  if (!chain.intact)
    return said(
      "failed",
      "Quand la preuve a été faite, le service disait lui-même son historique modifié.",
    );
  if (signatures.some((signature) => signature.verdict === "invalid"))
    return said(
      "failed",
      "Quand la preuve a été faite, le service disait lui-même une signature non valide.",
    );
  if (purged)
    return said(
      "not_checked",
      "L’enveloppe a été supprimée\u00a0: seules ses empreintes et ses dates restent.",
    );
  if (files.length === 0) return said("failed", "La preuve ne nomme aucun fichier.");
  if (cancelled)
    return said(
      "not_checked",
      "Son expéditeur avait annulé l’enveloppe quand la preuve a été faite.",
    );
  const undone = UNDONE[facts.state];
  if (undone !== undefined) return said("not_checked", undone);
  const missing = signers.filter(({ signed }) => !signed).length;
  if (!completed || missing > 0 || signers.length === 0 || facts.state !== "completed")
    return said(
      "not_checked",
      "Quand la preuve a été faite, toutes les signatures demandées n’étaient pas réunies.",
    );
  if (verdict !== "valid" || signatures.some((signature) => signature.verdict !== "valid"))
    return said(
      "not_checked",
      `Quand la preuve a été faite, le service lui-même ne la disait pas valide\u00a0: ${reason}`,
    );
  return said("ok", "Tous ceux dont la signature était demandée ont signé.");
}

const UNDONE: Readonly<Partial<Record<JournalFacts["state"], string>>> = {
  declined:
    "Un destinataire a refusé sa signature ou son visa\u00a0: l’enveloppe ne sera pas complétée.",
  expired: "L’enveloppe avait expiré avant que tous aient signé.",
  cancelled: "Son expéditeur avait annulé l’enveloppe quand la preuve a été faite.",
};

/** What cannot be checked without the service. */
export const LIMITS = [
  "L’identité des personnes\u00a0: la preuve dit par quel moyen un lien et un code sont allés, et ce qui a répondu, pas qui tenait l’appareil.",
  "Ce qui s’est passé après la date de la preuve\u00a0: une révocation plus récente ne se lit qu’auprès du service.",
  "Que le journal de transparence publié aujourd’hui continue celui-ci\u00a0: la page «\u00a0Journal de transparence\u00a0» du service le vérifie.",
] as const;

/**
 * Shape: `roots` are DER, `sealKeys` RFC 7638 thumbprints. Any bytes give a report.
 * Source: EN 319 102-1 §5 (signatures), RFC 7515 (seal), RFC 9162 §2.1.3 (inclusion), RFC 3161.
 */
export async function verifyProof(request: ProofRequest): Promise<ProofReport> {
  const report = await checkProof(request);
  return request.isAttached === true
    ? { ...report, limits: [...report.limits, PAGES_UNCHECKED] }
    : report;
}

async function checkProof(request: ProofRequest): Promise<ProofReport> {
  const read = readProofFile(request.proof);
  if (read === null) return unread();
  const content = read.file.proof;
  try {
    return await checkAll(read, request);
  } catch (error) {
    if (!(error instanceof PadesError || error instanceof DOMException)) throw error;
    const broken = {
      name: "form",
      state: "failed",
      subject: null,
      sentence: "Un certificat que la preuve contient ne se lit pas.",
    } as const;
    return { ...conclude([broken]), checks: [broken], roots: [], limits: LIMITS, proof: content };
  }
}

async function checkAll(
  read: ReadProofFile,
  { files, roots, sealKeys = [], now }: ProofRequest,
): Promise<ProofReport> {
  const content = read.file.proof;
  const form = {
    name: "form",
    state: "ok",
    subject: null,
    sentence: "Le fichier de preuve est entier et de la forme attendue (preuve-1).",
  } as const;
  const { checks: made, jws } = await checkSealed(read);
  const sealed = [form, ...made];
  // Unsealed content is not checked further.
  if (jws === null || sealed.some(({ state }) => state === "failed"))
    return { ...conclude(sealed), checks: sealed, roots: [], limits: LIMITS, proof: content };
  const trust = await readerTrust(content, { roots, hasSealKeys: sealKeys.length > 0 });
  const { evidence, trusted } = trust;
  const stamp = await checkStamp(read.file, { trust, now });
  const context: CheckContext = {
    content,
    facts: readJournal(content.journal.events),
    evidence,
    trusted,
    now,
    madeAt: new Date(content.checked_at),
    provenAt: stamp.provenAt,
  };
  const given = readGivenFiles(context, files);
  const anchors = namedRoots(evidence.trustAnchors.signers);
  const checks = downgradeUntrusted([
    ...sealed,
    ...checkSealKey(jws, sealKeys),
    stamp.check,
    await checkSealChain(jws, context),
    checkRoot(anchors, context, trust.root),
    checkCompletion(content, context.facts),
    ...(await downgradeUntrustedTimes(await checkFiles(context, given), { context, files: given })),
    await checkCards(context, given),
    ...checkJournal(context),
    checkFacts(context),
    ...(await checkLog(context)),
  ]);
  return { ...conclude(checks), checks, roots: anchors, limits: LIMITS, proof: content };
}

function unread(): ProofReport {
  const sentence =
    "Ce fichier n’est pas une preuve de ce service, ou il a été modifié\u00a0: il n’est plus de la forme attendue.";
  const checks = [{ name: "form", state: "failed", subject: null, sentence }] as const;
  return { ...conclude(checks), checks, roots: [], limits: LIMITS, proof: null };
}

type Recorded = ProofContent["signatures"][number];
type Card = NonNullable<ProofContent["certificate"]>;
type Fault = string;
/** Reports now and at the time of the proof; null where the file or signature is missing. */
type SignatureToCompare = {
  readonly row: Recorded;
  readonly reports: readonly [now: SignatureReport, then: SignatureReport] | null;
};
type Comparison = { readonly faults: readonly Fault[]; readonly isWhole: boolean };

const check = (state: CheckState, sentence: string): ProofCheck => ({
  name: "cards",
  state,
  subject: null,
  sentence,
});

/** Compares what a proof shows with files and certificates, except `reason`, `warnings` and MD5. */
async function checkCards(context: CheckContext, given: readonly ReadFile[]): Promise<ProofCheck> {
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

/** Takes the lowest common level; an expired certificate may have lowered it. */
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

/** Requires the certificate's path; a reader's root may end it earlier. */
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

/** Uses the proof's OCSP answers and lists; their addresses are in the certificate. */
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
