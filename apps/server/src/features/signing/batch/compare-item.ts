import { type CorrectionAnswer, failure, problem, type Result } from "@paraphe/contracts";
import type { Platform } from "../../../platform/platform.ts";
import { compareCopy, receiveDocument } from "../../documents/public.ts";
import { type Actor, pdfAccess } from "../../envelopes/public.ts";
import { type OwnBatch, readBatch } from "./read-batches.ts";
import { selectSource } from "./store.ts";

export type ItemToCompare = OwnBatch & { readonly position: number; readonly actor: Actor; readonly from: number };

/**
 * Says where the corrected copy of one file of a batch would look otherwise than the file, for its owner.
 * Errors: `not_found`, of a file that waits for no answer about its copy too; those of `receiveDocument` and `compareCopy`.
 */
export async function compareItem(platform: Platform, { position, actor, from, ...of }: ItemToCompare): Promise<Result<CorrectionAnswer>> {
  const batch = await readBatch(platform.db, of);
  if (!batch.ok) return batch;
  const source = await selectSource(platform.db, { batchId: of.id, position });
  if (source === null) return failure(problem("not_found"));
  const access = pdfAccess(platform, { actor, haste: "patient" });
  const received = await receiveDocument(access, { name: source.name, bytes: await platform.files.get(source.sha256) });
  if (!received.ok) return received;
  const { name, bytes, pageCount } = received.value;
  return compareCopy(access, { name, bytes, pageCount, from });
}
