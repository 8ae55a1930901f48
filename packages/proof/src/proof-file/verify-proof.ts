import { PadesError } from "@paraphe/pades/parts";
import { readJournalFacts } from "../journal/read-journal-facts.ts";
import { checkCards } from "./check-cards.ts";
import { checkCompletion } from "./check-completion.ts";
import { checkFacts } from "./check-facts.ts";
import { checkFiles } from "./check-files.ts";
import { checkJournal } from "./check-journal.ts";
import { checkLog } from "./check-log.ts";
import { checkRoot, checkSealChain, checkSealed, checkSealKey, namedRoots } from "./check-seal.ts";
import { checkStamp } from "./check-stamp.ts";
import { conclude } from "./conclude.ts";
import { readBrought } from "./read-brought.ts";
import { type ReadProofFile, readProofFile } from "./read-proof-file.ts";
import { readerTrust } from "./reader-trust.ts";
import type { CheckContext, ProofReport, ProofRequest } from "./types.ts";
import { vouchedFor } from "./unvouched.ts";
import { withVouchedTimes } from "./vouched-times.ts";

/** What no check without the service can say. */
export const LIMITS = [
  "L’identité des personnes\u00a0: la preuve dit par quel moyen un lien et un code sont allés, et ce qui a répondu, pas qui tenait l’appareil.",
  "Ce qui s’est passé après la date de la preuve\u00a0: une révocation plus récente ne se lit qu’auprès du service.",
  "Que le journal de transparence publié aujourd’hui continue celui-ci\u00a0: la page «\u00a0Journal de transparence\u00a0» du service le vérifie.",
] as const;

/**
 * Checks a `preuve.json` and the PDF files beside it, by themselves: nothing is fetched, nobody is asked.
 * Shape: `roots` are DER, `sealKeys` RFC 7638 thumbprints. A report is given whatever the bytes are.
 * Source: EN 319 102-1 §5 (signatures), RFC 7515 (seal), RFC 9162 §2.1.3 (inclusion), RFC 3161 (time-stamps).
 */
export async function verifyProof(request: ProofRequest): Promise<ProofReport> {
  const read = readProofFile(request.proof);
  if (read === null) return unread();
  const content = read.file.proof;
  try {
    return await checkAll(read, request);
  } catch (error) {
    // The bytes are anybody's: certificates that are none are a fault of the proof. Anything else is a bug of ours.
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

async function checkAll(read: ReadProofFile, { files, roots, sealKeys = [], now }: ProofRequest): Promise<ProofReport> {
  const content = read.file.proof;
  const form = {
    name: "form",
    state: "ok",
    subject: null,
    sentence: "Le fichier de preuve est entier et de la forme attendue (preuve-1).",
  } as const;
  const { checks: made, jws } = await checkSealed(read);
  const sealed = [form, ...made];
  // What the seal did not sign may say anything: nothing else in it is worth a check.
  if (jws === null || sealed.some(({ state }) => state === "failed"))
    return { ...conclude(sealed), checks: sealed, roots: [], limits: LIMITS, proof: content };
  const trust = await readerTrust(content, { roots, hasSealKeys: sealKeys.length > 0 });
  const { evidence, vouched } = trust;
  const stamp = await checkStamp(read.file, { trust, now });
  const context: CheckContext = {
    content,
    facts: readJournalFacts(content.journal.events),
    evidence,
    vouched,
    now,
    madeAt: new Date(content.checked_at),
    provenAt: stamp.provenAt,
  };
  const brought = readBrought(context, files);
  const anchors = namedRoots(evidence.trustAnchors.signers);
  const checks = vouchedFor([
    ...sealed,
    ...checkSealKey(jws, sealKeys),
    stamp.check,
    await checkSealChain(jws, context),
    checkRoot(anchors, context, trust.root),
    checkCompletion(content, context.facts),
    ...(await withVouchedTimes(await checkFiles(context, brought), { context, brought })),
    await checkCards(context, brought),
    ...checkJournal(context),
    checkFacts(context),
    ...(await checkLog(context)),
  ]);
  return { ...conclude(checks), checks, roots: anchors, limits: LIMITS, proof: content };
}

function unread(): ProofReport {
  const sentence = "Ce fichier n’est pas une preuve de ce service, ou il a été modifié\u00a0: il n’est plus de la forme attendue.";
  const checks = [{ name: "form", state: "failed", subject: null, sentence }] as const;
  return { ...conclude(checks), checks, roots: [], limits: LIMITS, proof: null };
}
