import type { Inclusion } from "@paraphe/contracts";
import type { ProofContent } from "@paraphe/contracts/proof-file";
import { fromHex } from "@paraphe/kernel/bytes";
import { canonicalBytes } from "@paraphe/kernel/canonical-json";
import { verifyCheckpoint } from "../checkpoint/verify-checkpoint.ts";
import {
  type TrustedCheckpointVerdict,
  verifyTrustedCheckpoint,
} from "../checkpoint/verify-trusted-checkpoint.ts";
import { leafHash, verifyInclusion } from "../merkle/tree.ts";
import { isEndLogged } from "./check-facts.ts";
import { describeClaimed } from "./check-stamp.ts";
import type { CheckContext, CheckState, ProofCheck } from "./types.ts";

const check = (name: ProofCheck["name"], state: CheckState, sentence: string): ProofCheck => ({
  name,
  state,
  subject: null,
  sentence,
});

/**
 * Checks that the journal's head is in the log, under a checkpoint of the service at a proven time.
 */
export async function checkLog(context: CheckContext): Promise<readonly ProofCheck[]> {
  const { inclusion } = context.content;
  if (inclusion === null)
    return [
      check(
        "inclusion",
        "not_checked",
        "Le journal de transparence ne couvrait pas encore cette enveloppe quand la preuve a été faite.",
      ),
    ];
  return [checkInclusion(context), await checkCheckpoint(context)];
}

/** Says whether an entry is a head of this journal and in its checkpoint's tree. */
export function isIncluded(
  { envelope, journal }: Pick<ProofContent, "envelope" | "journal">,
  inclusion: Inclusion,
): boolean {
  const { entry, path, checkpoint, size, leaf_index } = inclusion;
  const event = journal.events.find(({ sequence }) => sequence === entry.sequence);
  if (entry.envelope_id !== envelope || event?.hash !== entry.head || size !== checkpoint.size)
    return false;
  return verifyInclusion({
    leafHash: leafHash(canonicalBytes(entry)),
    leafIndex: leaf_index,
    size,
    path: path.map(fromHex),
    root: fromHex(checkpoint.root),
  });
}

function checkInclusion({ content, facts }: CheckContext): ProofCheck {
  const { inclusion, journal } = content;
  if (inclusion === null) throw new TypeError("Expected an inclusion");
  const { entry } = inclusion;
  if (!isIncluded(content, inclusion))
    return check(
      "inclusion",
      "failed",
      "La preuve d’inclusion dans le journal de transparence ne tient pas.",
    );
  if (facts.completedSequence !== null && !isEndLogged(content, facts))
    return check(
      "inclusion",
      "not_checked",
      `Le journal de transparence ne couvre que les ${entry.sequence} premiers événements, et non la fin de l’enveloppe\u00a0: ce qui suit pourrait avoir été écrit autrement.`,
    );
  const later = journal.events.length - entry.sequence;
  const rest =
    later === 0 ? "" : ` ${later} plus récents n’y étaient pas encore quand la preuve a été faite.`;
  return check(
    "inclusion",
    "ok",
    `Le journal de transparence couvre les ${entry.sequence} premiers événements.${rest}`,
  );
}

type Fault = Extract<TrustedCheckpointVerdict, { readonly ok: false }>["fault"];

const checkpointCheck = (state: CheckState, sentence: string): ProofCheck => ({
  name: "checkpoint",
  state,
  subject: null,
  sentence,
});

/** Checks that the checkpoint of a proof's inclusion is the service's, by the reader's anchors. */
async function checkCheckpoint({
  content,
  evidence,
  trusted,
  now,
}: CheckContext): Promise<ProofCheck> {
  const checkpoint = content.inclusion?.checkpoint;
  const alone = checkpoint === undefined ? null : await verifyCheckpoint(checkpoint);
  if (checkpoint === undefined || !alone?.ok) return checkpointCheck("failed", FAULTS.form);
  const { log, seal, timestamp } = alone.facts;
  if (log !== content.service)
    return checkpointCheck(
      "failed",
      "Le point de contrôle est celui du journal d’un autre service.",
    );
  const signed = `Le point de contrôle est signé par «\u00a0${seal.subject.commonName}\u00a0» et horodaté par `;
  const verdict = await verifyTrustedCheckpoint(checkpoint, { evidence: trusted, now });
  if (verdict.ok)
    return verdict.revocation === "unknown"
      ? checkpointCheck(
          "not_checked",
          "Rien ici ne dit si le cachet ou l’autorité d’horodatage du point de contrôle était révoqué.",
        )
      : checkpointCheck("ok", `${signed}«\u00a0${timestamp.authorityName}\u00a0».`);
  const claimed =
    verdict.fault === "authority"
      ? await verifyTrustedCheckpoint(checkpoint, { evidence, now })
      : verdict;
  if (!claimed.ok) return checkpointCheck("failed", FAULTS[claimed.fault]);
  return checkpointCheck(
    "not_checked",
    `${signed}${describeClaimed(timestamp, claimed.authority)}`,
  );
}

const UNSOUND =
  "Le point de contrôle du journal de transparence n’a pas la signature ou l’horodatage qu’il dit.";
const UNKNOWN_AUTHORITY =
  "Le cachet ou l’autorité d’horodatage du point de contrôle ne mène pas à une racine reconnue ici.";
const FAULTS: Readonly<Record<Fault, string>> = {
  form: UNSOUND,
  key: UNSOUND,
  signature: UNSOUND,
  content: UNSOUND,
  timestamp: UNSOUND,
  seal: UNKNOWN_AUTHORITY,
  authority: UNKNOWN_AUTHORITY,
  revoked: "Le cachet ou l’autorité d’horodatage du point de contrôle était révoqué.",
};
