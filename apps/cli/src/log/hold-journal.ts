import type { ProofContent } from "@paraphe/contracts/proof-file";
import { canonicalJson, leafHash, verifyProof } from "@paraphe/proof";
import type { LogCheck } from "./hold-checkpoint.ts";

/** What happened this long before a checkpoint is in it: an event is due to the log as soon as it is committed. The rest is for clocks that differ. */
const MARGIN_MS = 10 * 60_000;

export type HeldProof = {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** When the kept checkpoint was made, and the leaves (hex) that it covers. */
  readonly keptAt: string;
  readonly leaves: ReadonlySet<string>;
  readonly now: Date;
};

/**
 * Says whether the journal of a `preuve.json` is the one that a kept checkpoint covers. That the log goes on is not enough: whoever rewrites a journal may have the
 * new one appended to a log whose past is intact. Of what the journal says happened before the checkpoint, the last event, or one after it, must be a leaf of it; so must the
 * signing of whatever signature was time-stamped before it, whenever the journal says that it was.
 */
export async function holdJournal({ name, bytes, keptAt, leaves, now }: HeldProof): Promise<LogCheck> {
  const said = (state: LogCheck["state"], sentence: string): LogCheck => ({ state, subject: name, sentence });
  const { checks, proof } = await verifyProof({ proof: bytes, files: [], roots: [], now });
  const failed = checks.find(({ state }) => state === "failed");
  if (failed !== undefined || proof === null) return said("failed", `cette preuve ne tient pas par elle-même. ${failed?.sentence ?? ""}`);
  const limit = Date.parse(keptAt) - MARGIN_MS;
  const last = Math.max(lastSaid(proof, limit), lastSigned(proof, limit));
  if (last === -1)
    return said("not_checked", "d’après son historique et ses signatures, rien ne s’était passé avant le point de contrôle gardé.");
  const isCovered = proof.journal.events.slice(last).some(({ sequence, hash }) => leaves.has(leafOf(proof, sequence, hash)));
  return isCovered
    ? said("ok", `ses ${last + 1} premiers événements sont ceux que le point de contrôle gardé couvre.`)
    : said(
        "failed",
        "son historique n’est pas celui que le point de contrôle gardé couvre\u00a0: des événements passés ont été changés ou retirés.",
      );
}

/** Gives the place of the last event that the journal says was before that; -1 for none. */
function lastSaid({ journal }: ProofContent, limit: number): number {
  return journal.events.findLastIndex(({ at }) => Date.parse(at) <= limit);
}

/** Gives the place of the last signing of which a time-stamp, which no journal can move, says that it was before that; -1 for none. */
function lastSigned({ journal, signatures }: ProofContent, limit: number): number {
  const stamped = signatures.filter(({ timestamp }) => timestamp !== null && Date.parse(timestamp.time) <= limit);
  // Of one person, the field has the same name in each document.
  const signers = new Set(stamped.map(({ field, serial_number }) => field ?? serial_number)).size;
  const signings = journal.events.flatMap(({ action }, index) => (action === "recipient_signed" ? [index] : []));
  return signings[Math.min(signers, signings.length) - 1] ?? -1;
}

/** Source: ADR 0013, the entry of a leaf; RFC 9162 §2.1.1. */
function leafOf({ envelope }: ProofContent, sequence: number, head: string): string {
  const entry = canonicalJson({ envelope_id: envelope, head, sequence });
  return Buffer.from(leafHash(new TextEncoder().encode(entry))).toString("hex");
}
