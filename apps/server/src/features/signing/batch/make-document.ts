import type { Result } from "@paraphe/contracts";
import { type CompletedDocument, completeOwnDocument } from "../complete-own-document.ts";
import { type OwnDocument, placeOwnDocument } from "../prepare-own-document.ts";
import type { MarkEvidence } from "../read-mark.ts";
import { keptMarkSchema } from "../seal/act-content.ts";
import type { SealingDeps } from "../seal/deps.ts";
import type { BatchDeps } from "./create-batches.ts";
import { envelopeTitle } from "./domain/envelope-title.ts";
import type { ClaimedItem, RunningBatch } from "./run-store.ts";
import { signerOf } from "./signer-of.ts";

/** `seat`: whoever works at it; one task in the sandbox at a time for each. */
export type ItemWork = { readonly batch: RunningBatch; readonly seat: string; readonly item: ClaimedItem };

/**
 * Signs one file of a batch and makes it prove itself; its bytes are in storage, no row is written.
 * Errors: those of `placeOwnDocument` and `completeOwnDocument`.
 */
export async function makeDocument(deps: BatchDeps, { batch, seat, item }: ItemWork): Promise<Result<CompletedDocument>> {
  const sealing = ofSeat(deps, seat);
  const bytes = await deps.platform.files.get(item.sourceSha256);
  const placed = await placeOwnDocument(sealing.platform, {
    actor: { user: { id: batch.ownerId, ...batch.signer }, client: batch.client },
    file: { name: item.name, bytes },
    title: envelopeTitle(batch.title, item.name),
    placement: item.placement ?? batch.placement,
    ifFixable: ifFixable(batch, item),
  });
  if (!placed.ok) return placed;
  const issued = await signerOf(deps, batch);
  const mark = keptMarkSchema.parse(batch.mark);
  const evidence = { ...(batch.evidence as MarkEvidence), batch: batch.id };
  const agreed = { consentedAt: batch.createdAt, copyAcceptedAt: item.copyAcceptedAt };
  return completeOwnDocument(sealing, { placed: placed.value, mark, evidence, agreed, issued });
}

/** Says whether a corrected copy may be signed. A batch is accepted unseen, so a copy that looks different waits for its owner. */
function ifFixable(batch: RunningBatch, { copyAcceptedAt, copyMayDiffer }: ClaimedItem): OwnDocument["ifFixable"] {
  if (copyMayDiffer) return "accept";
  return batch.ifFixable === "accept" || copyAcceptedAt !== null ? "accept_alike" : "refuse";
}

/**
 * A seat has one task in the sandbox at a time, after everybody else's, and none begins while somebody waits for an answer: who signs one document,
 * or reads a list, never waits for who signs five hundred.
 */
function ofSeat({ sealing, pause }: BatchDeps, seat: string): SealingDeps {
  const { sandbox } = sealing.platform;
  const calls = sandbox.askedBy({ key: `batch:${seat}`, haste: "patient", background: true });
  const call: typeof calls.call = ((task: never, ...args: never) => pause.calm().then(() => calls.call(task, ...args))) as never;
  return { ...sealing, platform: { ...sealing.platform, sandbox: { ...sandbox, call } } };
}
