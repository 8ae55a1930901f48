import type { ProofContent } from "@paraphe/contracts/proof-file";
import { validate, type ValidationReport } from "@paraphe/pades";
import { PadesError } from "@paraphe/pades/parts";
import { type JournalFacts, readJournal } from "../journal.ts";
import { checkCards } from "./check-cards.ts";
import { checkFacts } from "./check-facts.ts";
import { type ReadFile, checkFiles, readGivenFiles } from "./check-files.ts";
import { checkJournal } from "./check-journal.ts";
import { checkLog } from "./check-log.ts";
import { checkRoot, checkSealChain, checkSealed, checkSealKey, namedRoots } from "./check-seal.ts";
import { checkStamp } from "./check-stamp.ts";
import { readerTrust, type ReadProofFile, readProofFile } from "./reader-trust.ts";
import type { CheckContext, ProofCheck, ProofReport, ProofRequest } from "./types.ts";

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

/** While the reader trusts no root. */
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

/** Times that only the proof's own authority proves; other comparisons use the service's view. */
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
  declined: "Un destinataire a refusé de signer\u00a0: l’enveloppe ne sera pas complétée.",
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
  const read = readProofFile(request.proof);
  if (read === null) return unread();
  const content = read.file.proof;
  try {
    return await checkAll(read, request);
  } catch (error) {
    // Any other error is a bug.
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
