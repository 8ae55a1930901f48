import { sha256 } from "@noble/hashes/sha2.js";
import type { JournalEvent, ProofContent } from "@paraphe/contracts/proof/proof-file";
import { fromHex, toHex } from "@paraphe/kernel/bytes";
import { canonicalBytes } from "@paraphe/kernel/canonical-json";
import type { CheckContext, CheckState, ProofCheck } from "./types.ts";
import type { Inclusion } from "@paraphe/contracts";
import { verifyCheckpoint } from "../checkpoint/verify-checkpoint.ts";
import {
  type TrustedCheckpointVerdict,
  verifyTrustedCheckpoint,
} from "../checkpoint/verify-trusted-checkpoint.ts";
import { leafHash, verifyInclusion } from "../merkle/tree.ts";
import { isEndLogged } from "./check-facts.ts";
import { describeClaimed } from "./check-seal.ts";

const check = (name: ProofCheck["name"], state: CheckState, sentence: string): ProofCheck => ({
  name,
  state,
  subject: null,
  sentence,
});

export function checkJournal({ content }: CheckContext): readonly ProofCheck[] {
  const { events, disclosed } = content.journal;
  const broken = brokenAt(content);
  if (events.length === 0)
    return [
      check(
        "journal",
        "failed",
        "L’historique est vide\u00a0: une enveloppe a toujours un premier événement.",
      ),
    ];
  if (broken >= 0)
    return [
      check(
        "journal",
        "failed",
        `L’historique ne s’enchaîne plus à l’événement n°\u00a0${broken + 1}.`,
      ),
    ];
  const values = events.flatMap((event) =>
    Object.entries(event.personal).map(([name, { value, salt }]) =>
      isCommitted(event, name, { value, salt }),
    ),
  );
  const named = checkNamedFiles(content);
  const kept =
    events.reduce((sum, { detail }) => sum + Object.keys(commitmentsOf(detail)).length, 0) -
    values.length;
  return [
    check(
      "journal",
      "ok",
      `Les ${events.length} événements de l’historique s’enchaînent\u00a0: aucun n’a été changé, retiré ni déplacé.`,
    ),
    values.every(Boolean)
      ? check("personal", "ok", describePersonal(values.length, kept, disclosed))
      : check(
          "personal",
          "failed",
          "Une valeur personnelle de l’historique n’est pas celle qui y a été scellée.",
        ),
    ...named,
  ];
}

type JournalContent = Pick<ProofContent, "envelope" | "journal">;

/** Gives the index of the first event that breaks the chain; -1 for none. */
export function brokenAt({ envelope, journal: { events } }: JournalContent): number {
  return events.findIndex((event, index) => !follows(event, events[index - 1], envelope));
}

/** Events that name a document's file: `{document}:{SHA-256}`, in `documents` or `document`. */
const NAMING: ReadonlySet<string> = new Set([
  "recipient_signed",
  "envelope_completed",
  "archive_renewed",
]);

/** Whether the proof's signed files are the journal's; not applicable before a first signature. */
function checkNamedFiles({ files, signatures, journal }: ProofContent): readonly ProofCheck[] {
  const named = namedFiles(journal.events);
  const signed = files.filter(({ document }) =>
    signatures.some((signature) => signature.document === document),
  );
  if (signed.length === 0) return [];
  return [
    signed.every(({ document, sha256: hash }) => named.has(`${document}:${hash}`))
      ? check("journal_files", "ok", "L’historique nomme les mêmes fichiers signés que la preuve.")
      : check(
          "journal_files",
          "failed",
          "L’historique nomme d’autres fichiers signés que la preuve.",
        ),
  ];
}

export function namedFiles(events: readonly JournalEvent[]): ReadonlySet<unknown> {
  return new Set(
    events
      .filter(({ action }) => NAMING.has(action))
      .flatMap(({ detail }) => [detail["documents"], detail["document"]].flat()),
  );
}

function describePersonal(
  shown: number,
  kept: number,
  disclosed: ProofContent["journal"]["disclosed"],
): string {
  const what =
    disclosed === "all"
      ? `Les ${shown} valeurs personnelles que la preuve donne sont celles que l’historique a scellées.`
      : `Les ${shown} noms que la preuve donne sont ceux que l’historique a scellés.`;
  const rest =
    kept === 0
      ? ""
      : ` ${kept} autres valeurs ne sont pas données ici, ou ont été effacées\u00a0: leur empreinte seule reste.`;
  return what + rest;
}

function follows(
  event: JournalEvent,
  previous: JournalEvent | undefined,
  envelope: string,
): boolean {
  const { sequence, at, actor, action, detail, previous_hash, hash } = event;
  if (sequence !== (previous?.sequence ?? 0) + 1 || previous_hash !== (previous?.hash ?? null))
    return false;
  return (
    hash ===
    digest(fromHex(previous_hash ?? ""), { envelope_id: envelope, at, actor, action, detail })
  );
}

function isCommitted(
  { detail }: JournalEvent,
  name: string,
  { value, salt }: JournalEvent["personal"][string],
): boolean {
  return commitmentsOf(detail)[name] === digest(fromHex(salt), value);
}

/** SHA-256(`before` ‖ RFC 8785(`value`)), in hexadecimal. */
function digest(before: Uint8Array, value: unknown): string {
  return toHex(sha256.create().update(before).update(canonicalBytes(value)).digest());
}

function commitmentsOf(detail: JournalEvent["detail"]): Readonly<Record<string, unknown>> {
  const { commitments } = detail;
  return typeof commitments === "object" && commitments !== null
    ? (commitments as Readonly<Record<string, unknown>>)
    : {};
}

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
