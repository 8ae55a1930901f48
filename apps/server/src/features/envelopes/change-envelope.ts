import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { allOrNothing, inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { type Decision, commit, publicPageEvent } from "./commit.ts";
import { type EnvelopeCommand, type Viewer, viewerOf } from "./domain/viewer.ts";
import { limitAction } from "./limit-actions.ts";
import {
  type EnvelopeAggregate,
  loadToAnswer,
  lockEnvelope,
  lockWithPeople,
  NO_FACTS,
  updateEnvelopeRow,
} from "./store.ts";
import { type EnvelopeAction, type EnvelopeActor, checkActor } from "./domain/envelope.ts";

type Change = (trx: Transaction, aggregate: EnvelopeAggregate) => Promise<Result<Decision | null>>;

/**
 * Commits an owner's change under the envelope's lock (null: no change) and gives the envelope
 * after it.
 * Errors: those of `admit` and of the change.
 */
export async function changeEnvelope(
  platform: Platform,
  { command, action }: { readonly command: EnvelopeCommand; readonly action: EnvelopeAction },
  change: Change,
): Promise<Result<EnvelopeAggregate>> {
  return allOrNothing(platform.db, changeWithin(platform, { command, action }, change));
}

export function changeWithin(
  platform: Platform,
  { command, action }: { readonly command: EnvelopeCommand; readonly action: EnvelopeAction },
  change: Change,
) {
  return async (trx: Transaction): Promise<Result<EnvelopeAggregate>> => {
    const locked = await lockWithPeople(trx, command.envelopeId, {
      facts: NO_FACTS(),
      now: platform.clock(),
    });
    const { user } = command.actor;
    const admitted = admit(locked?.aggregate ?? null, { user, action });
    if (!admitted.ok) return admitted;
    const changed = await change(trx, admitted.value);
    if (!changed.ok) return changed;
    if (changed.value !== null)
      await commit(trx, platform, { about: admitted.value, ...changed.value });
    return loadChanged(trx, command.envelopeId);
  };
}

export async function loadChanged(
  trx: Transaction,
  envelopeId: string,
): Promise<Result<EnvelopeAggregate>> {
  const after = await loadToAnswer(trx, envelopeId);
  return after === null ? failure(problem("not_found")) : success(after);
}

/**
 * Gives the envelope to whoever may take this action. Errors: those of `viewerOf` and `checkActor`.
 */
export function admit(
  aggregate: EnvelopeAggregate | null,
  {
    user,
    action,
  }: { readonly user: EnvelopeCommand["actor"]["user"]; readonly action: EnvelopeAction },
): Result<EnvelopeAggregate> {
  if (aggregate === null) return failure(problem("not_found"));
  const viewer = viewerOf(aggregate, user);
  if (!viewer.ok) return viewer;
  const allowed = checkActor({
    status: aggregate.envelope.status,
    action,
    actor: actorOn(aggregate, viewer.value),
  });
  return allowed.ok ? success(aggregate) : allowed;
}

function actorOn(aggregate: EnvelopeAggregate, viewer: Viewer): EnvelopeActor {
  if (viewer.kind === "owner") return "sender";
  return aggregate.recipients.find((recipient) => recipient.id === viewer.recipientId)?.role ===
    "viewer"
    ? "copy"
    : "signer";
}

/** Errors: those of `viewerOf`; `not_allowed` for a recipient. */
export function requireOwner(
  aggregate: EnvelopeAggregate | null,
  user: EnvelopeCommand["actor"]["user"],
): Result<EnvelopeAggregate> {
  if (aggregate === null) return failure(problem("not_found"));
  const viewer = viewerOf(aggregate, user);
  if (!viewer.ok) return viewer;
  return viewer.value.kind === "owner" ? success(aggregate) : failure(problem("not_allowed"));
}

/**
 * Serves in every state: the printed address outlives the envelope.
 * Errors: `not_found`, `not_allowed`, `too_many_requests`.
 */
export async function changePublicPage(
  platform: Platform,
  command: EnvelopeCommand & { readonly proofOnly: boolean },
): Promise<Result<EnvelopeAggregate>> {
  const { envelopeId, actor, proofOnly } = command;
  return inTransaction(platform.db, async (trx) => {
    const owned = requireOwner(await lockEnvelope(trx, envelopeId), actor.user);
    if (!owned.ok || owned.value.envelope.proofOnly === proofOnly) return owned;
    const limited = await limitAction(
      { ...platform, db: trx },
      { kind: "publicPage", id: envelopeId },
    );
    if (!limited.ok) return limited;
    const now = platform.clock();
    await commit(trx, platform, {
      about: owned.value,
      writes: [updateEnvelopeRow({ id: envelopeId, now, proof_only: proofOnly })],
      events: [publicPageEvent(command)],
    });
    return loadChanged(trx, envelopeId);
  });
}
