import type { Inclusion } from "@paraphe/contracts";
import type { ProofContent } from "@paraphe/contracts/proof-file";
import { fromHex } from "@paraphe/kernel/bytes";
import { canonicalBytes } from "@paraphe/kernel/canonical-json";
import { leafHash } from "../merkle/tree.ts";
import { verifyInclusion } from "../merkle/verify-inclusion.ts";
import { isEndLogged } from "./check-facts.ts";
import { checkCheckpoint } from "./check-checkpoint.ts";
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
