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
 * new one appended to a log whose past is intact. Of what the journal says happened before the checkpoint, the last event, or one after it, must be a leaf of it.
 */
export async function holdJournal({ name, bytes, keptAt, leaves, now }: HeldProof): Promise<LogCheck> {
  const said = (state: LogCheck["state"], sentence: string): LogCheck => ({ state, subject: name, sentence });
  const { checks, proof } = await verifyProof({ proof: bytes, files: [], roots: [], now });
  const failed = checks.find(({ state }) => state === "failed");
  if (failed !== undefined || proof === null) return said("failed", `cette preuve ne tient pas par elle-même. ${failed?.sentence ?? ""}`);
  const limit = Date.parse(keptAt) - MARGIN_MS;
  const last = proof.journal.events.findLastIndex(({ at }) => Date.parse(at) <= limit);
  if (last === -1) return said("not_checked", "d’après son journal, rien ne s’était passé avant le point de contrôle gardé.");
  const isCovered = proof.journal.events.slice(last).some(({ sequence, hash }) => leaves.has(leafOf(proof, sequence, hash)));
  return isCovered
    ? said("ok", `ses ${last + 1} premiers événements sont ceux que le point de contrôle gardé couvre.`)
    : said(
        "failed",
        "son journal n’est pas celui que le point de contrôle gardé couvre\u00a0: des événements passés ont été changés ou retirés.",
      );
}

/** Source: ADR 0013, the entry of a leaf; RFC 9162 §2.1.1. */
function leafOf({ envelope }: ProofContent, sequence: number, head: string): string {
  const entry = canonicalJson({ envelope_id: envelope, head, sequence });
  return Buffer.from(leafHash(new TextEncoder().encode(entry))).toString("hex");
}
