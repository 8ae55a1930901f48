import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { checkActor, type EnvelopeAction, type EnvelopeActor } from "./domain/transitions.ts";
import { type Viewer, viewerOf } from "./domain/viewer.ts";
import { type EnvelopeAggregate, loadEnvelope } from "./load-envelope.ts";
import { lockEnvelope } from "./lock-envelope.ts";

type Change = (trx: Transaction, aggregate: EnvelopeAggregate) => Promise<Result<unknown>>;

/**
 * Runs an owner's change under the envelope's lock, in one transaction; gives the envelope as it is after.
 * A change that is refused must have written nothing.
 * Errors: those of `admit`, those of the change.
 */
export async function changeEnvelope(
  platform: Pick<Platform, "db">,
  { command, action }: { readonly command: EnvelopeCommand; readonly action: EnvelopeAction },
  change: Change,
): Promise<Result<EnvelopeAggregate>> {
  return inTransaction(platform.db, async (trx) => {
    const admitted = admit(await lockEnvelope(trx, command.envelopeId), { user: command.actor.user, action });
    if (!admitted.ok) return admitted;
    const changed = await change(trx, admitted.value);
    if (!changed.ok) return changed;
    const after = await loadEnvelope(trx, command.envelopeId);
    return after === null ? failure(problem("not_found")) : success(after);
  });
}

/**
 * Gives the envelope to whoever may take this action on it; whether its state allows it is the decision's to say.
 * Errors: those of `viewerOf`, which comes first, and of `checkActor`.
 */
export function admit(
  aggregate: EnvelopeAggregate | null,
  { user, action }: { readonly user: EnvelopeCommand["actor"]["user"]; readonly action: EnvelopeAction },
): Result<EnvelopeAggregate> {
  if (aggregate === null) return failure(problem("not_found"));
  const viewer = viewerOf(aggregate, user);
  if (!viewer.ok) return viewer;
  const allowed = checkActor({ status: aggregate.envelope.status, action, actor: actorOn(aggregate, viewer.value) });
  return allowed.ok ? success(aggregate) : allowed;
}

function actorOn(aggregate: EnvelopeAggregate, viewer: Viewer): EnvelopeActor {
  if (viewer.kind === "owner") return "sender";
  return aggregate.recipients.find((recipient) => recipient.id === viewer.recipientId)?.role === "viewer" ? "copy" : "signer";
}

/** Gives the envelope to its owner. Errors: those of `viewerOf`; `not_allowed` for one of its recipients. */
export function requireOwner(aggregate: EnvelopeAggregate | null, user: EnvelopeCommand["actor"]["user"]): Result<EnvelopeAggregate> {
  if (aggregate === null) return failure(problem("not_found"));
  const viewer = viewerOf(aggregate, user);
  if (!viewer.ok) return viewer;
  return viewer.value.kind === "owner" ? success(aggregate) : failure(problem("not_allowed"));
}
