import { type Problem, problem, type Result } from "@paraphe/contracts";
import { PadesError } from "@paraphe/pades";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { together } from "../../platform/database/together.ts";
import { AlteredFileError, MissingFileError, StorageFullError } from "../../platform/files/file-store.ts";
import { SandboxBusyError, SandboxLimitError } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import { keptMarkSchema, type SealingDeps, UnsoundSignatureError } from "../sealing/index.ts";
import { commitCompletedOwn, type CompletedDocument, completeOwnDocument, type MarkEvidence, placeOwnDocument } from "../signing/index.ts";
import type { BatchDeps } from "./create-batches.ts";
import { envelopeTitle } from "./domain/envelope-title.ts";
import { type ClaimedItem, claimItem, completeItem, countFailedTry, failItem, type RunningBatch } from "./run-store.ts";
import { signerOf } from "./signer-of.ts";

/** What fails for no reason of the file's that is known is tried so often. */
const TRIES = 3;

export type ItemWork = { readonly batch: RunningBatch; readonly lane: number };
export type ItemOutcome = "signed" | "failed" | "none";

/**
 * Signs the next file of a batch: everything that follows from it is committed with it, or nothing is. `none`: no file waits.
 * Throws when it cannot be done now, whatever the file (`TimestampUnavailableError`, database away): the file stays in the line.
 */
export async function signNextItem(deps: BatchDeps, work: ItemWork): Promise<ItemOutcome> {
  const { platform } = deps;
  let claimed: ClaimedItem | null = null;
  try {
    return await inTransaction(platform.db, async (trx) => {
      claimed = await claimItem(trx, work.batch.id);
      return claimed === null ? "none" : await signItem(trx, deps, { ...work, item: claimed });
    });
  } catch (error) {
    const item = claimed as ClaimedItem | null;
    if (item === null || error instanceof SandboxBusyError) throw error;
    const refusal = refusalOf(error) ?? (await refusalOfTries(deps, { item, error }));
    if (refusal === null) throw error;
    platform.log.warn({ batch_item: item.id, error }, "a file of a batch was not signed");
    await failItem(platform.db, { id: item.id, problem: refusal, now: platform.clock() });
    return "failed";
  }
}

type Signing = ItemWork & { readonly item: ClaimedItem };

async function signItem(trx: Transaction, deps: BatchDeps, signing: Signing): Promise<ItemOutcome> {
  const { platform } = deps;
  const { item } = signing;
  const now = () => platform.clock();
  const made = await makeDocument(deps, signing);
  if (!made.ok) {
    if (made.error.code === "service_unavailable") throw new SandboxBusyError();
    await failItem(trx, { id: item.id, problem: made.error, now: now() });
    return "failed";
  }
  const { sha256, sizeBytes } = made.value.sealed.archive;
  await together([
    commitCompletedOwn(trx, deps.sealing, { actId: item.id, method: "bulk", completed: made.value }),
    completeItem(trx, { id: item.id, envelopeId: made.value.placed.id, sha256, sizeBytes, now: now() }),
  ]);
  return "signed";
}

async function makeDocument(deps: BatchDeps, { batch, lane, item }: Signing): Promise<Result<CompletedDocument>> {
  const sealing = ofLane(deps, lane);
  const bytes = await deps.platform.files.get(item.sourceSha256);
  const placed = await placeOwnDocument(sealing.platform, {
    actor: { user: { id: batch.ownerId, ...batch.signer }, client: batch.client },
    file: { name: item.name, bytes },
    title: envelopeTitle(batch.title, item.name),
    placement: item.placement ?? batch.placement,
    ifFixable: item.copyAcceptedAt === null ? batch.ifFixable : "accept",
  });
  if (!placed.ok) return placed;
  const issued = await signerOf(deps, batch);
  const mark = keptMarkSchema.parse(batch.mark);
  const evidence = { ...(batch.evidence as MarkEvidence), batch: batch.id };
  const agreed = { consentedAt: batch.createdAt, copyAcceptedAt: item.copyAcceptedAt };
  return completeOwnDocument(sealing, { placed: placed.value, mark, evidence, agreed, issued });
}

/**
 * A lane has one task in the sandbox at a time, after everybody else's, and none begins while somebody waits for an answer: who signs one document,
 * or reads a list, never waits for who signs five hundred.
 */
function ofLane({ sealing, pause }: BatchDeps, lane: number): SealingDeps {
  const { sandbox } = sealing.platform;
  const calls = sandbox.askedBy({ key: `batch:${lane}`, haste: "patient", background: true });
  const call: typeof calls.call = ((task: never, ...args: never) => pause.calm().then(() => calls.call(task, ...args))) as never;
  return { ...sealing, platform: { ...sealing.platform, sandbox: { ...sandbox, call } } };
}

/** Gives what an error says of the file, or of the place it would take; null for anything else. */
function refusalOf(error: unknown): Problem | null {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  for (const one of [error, cause]) {
    if (one instanceof StorageFullError) return problem("storage_full");
    if (one instanceof SandboxLimitError) return problem("pdf_too_complex");
    if (one instanceof MissingFileError || one instanceof AlteredFileError) return problem("stored_file_lost");
  }
  return null;
}

/** A fault that the file may have to do with: after some tries it is the file's. */
async function refusalOfTries(
  { platform, signers }: BatchDeps,
  { item, error }: { readonly item: ClaimedItem; readonly error: unknown },
): Promise<Problem | null> {
  if (!(error instanceof PadesError || error instanceof UnsoundSignatureError)) return null;
  // The signer may be what is wrong: another one is made.
  signers.clear();
  const tries = await countFailedTry(platform.db, item.id);
  return tries < TRIES ? null : problem("document_not_signed");
}
