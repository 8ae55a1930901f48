import { toHex } from "@paraphe/kernel/bytes";
import { failure, problem, type ReassignRequest, type Result, success } from "@paraphe/contracts";
import { andList } from "@paraphe/kernel/french-words";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { RequestClient } from "../../platform/http/request-facts.ts";
import type { Platform } from "../../platform/platform.ts";
import { lockStanding, type SessionUser } from "../accounts/public.ts";
import { documentsDigest } from "../documents/public.ts";
import {
  delegationOver,
  type EnvelopeAggregate,
  lockEnvelope,
  mustAct,
  PREPARATION,
  recordReassign,
  recordSendBack,
  recordVisa,
  type StepAct,
} from "../envelopes/public.ts";
import { findSignatory } from "./code-access.ts";
import { actedByDelegate, actingFor, type DelegatedAct, delegatedFacts } from "./delegations.ts";
import { type Guest, guestActor, lockGuestAccess, resumeGuestSession } from "./guest-access.ts";
import { accountReach } from "./sign-envelope.ts";

export type StepHolder = { readonly envelopeId: string; readonly client: RequestClient } & (
  | {
      readonly guest: Guest;
      readonly cookies: Readonly<Record<string, string | undefined>>;
    }
  | { readonly user: SessionUser; readonly recipientId: string }
);

/** A guest with a code, or a member, gives it. Errors: those of `lockStep` and `decideVisa`. */
export async function giveVisa(
  platform: Platform,
  holder: StepHolder,
): Promise<Result<EnvelopeAggregate>> {
  return actOnStep(platform, holder, (trx, act) =>
    recordVisa(trx, platform, { ...act, notices: toDelegator(platform, "visa", act) }),
  );
}

type Returned = { readonly order: number; readonly reason: string };

function toDelegator(
  platform: Platform,
  act: DelegatedAct,
  { aggregate, recipientId, delegate, to }: StepAct & { readonly to?: Returned },
) {
  const { envelope, recipients } = aggregate;
  const recipient = recipients.find(({ id }) => id === recipientId);
  if (delegate === undefined || recipient === undefined) return [];
  const at = platform.clock();
  const returned = to && { to: holdersOf(aggregate, to.order), reason: to.reason };
  return [actedByDelegate(platform, { act, envelope, recipient, delegate, at, returned })];
}

function holdersOf({ envelope, recipients }: StepAct["aggregate"], order: number): string {
  const names = recipients.filter((one) => one.order === order && mustAct(one));
  return order === PREPARATION
    ? envelope.senderName
    : andList(names.map(({ fullName }) => fullName));
}

/** Errors: those of `lockStep` and `decideSendBack`. */
export async function sendBack(
  platform: Platform,
  holder: StepHolder,
  to: Returned,
): Promise<Result<EnvelopeAggregate>> {
  return actOnStep(platform, holder, (trx, act) =>
    recordSendBack(trx, platform, {
      ...act,
      ...to,
      notices: toDelegator(platform, "return", { ...act, to }),
    }),
  );
}

/** Errors: those of `lockStep` and `decideReassign`. */
export async function reassignStep(
  platform: Platform,
  holder: StepHolder,
  request: ReassignRequest,
): Promise<Result<EnvelopeAggregate>> {
  return actOnStep(platform, holder, (trx, act) =>
    recordReassign(trx, platform, {
      ...act,
      request,
      notices: toDelegator(platform, "reassign", act),
    }),
  );
}

async function actOnStep(
  platform: Platform,
  holder: StepHolder,
  act: (trx: Transaction, step: StepAct) => Promise<Result<EnvelopeAggregate>>,
): Promise<Result<EnvelopeAggregate>> {
  const session =
    "guest" in holder ? await resumeGuestSession(platform, holder.guest, holder.cookies) : null;
  if ("guest" in holder && session === null) return failure(problem("otp_required"));
  return inTransaction(platform.db, async (trx) => {
    const step = await lockStep(trx, platform, holder);
    if (!step.ok) return step;
    const documentsSha256 = documentsDigest(step.value.aggregate.documents);
    if (session !== null && Buffer.compare(session.session.documentsSha256, documentsSha256) !== 0)
      return failure(problem("documents_changed"));
    const reached = session === null ? step.value.detail : { code: session.session.codeId };
    const detail = { documents_sha256: toHex(documentsSha256), ...reached };
    return act(trx, { ...step.value, detail });
  });
}

/**
 * Checks again, under the lock, who has the step.
 * Errors: those of `lockGuestAccess` and `findSignatory`.
 */
async function lockStep(
  trx: Transaction,
  platform: Platform,
  holder: StepHolder,
): Promise<Result<StepAct>> {
  if ("guest" in holder) {
    const locked = await lockGuestAccess(trx, holder.guest, { now: platform.clock() });
    if (!locked.ok) return locked;
    const { aggregate, recipient } = locked.value;
    const actor = guestActor(locked.value, holder.client);
    return success({ aggregate, recipientId: recipient.id, actor, detail: {} });
  }
  const { user, client } = holder;
  const aggregate = await lockEnvelope(trx, holder.envelopeId);
  const signatory = findSignatory(aggregate, user, holder.recipientId);
  if (!signatory.ok) return signatory;
  if (aggregate === null) return failure(problem("not_found"));
  const recipient = signatory.value;
  const delegate = actingFor(user, { aggregate, recipient });
  const standing = delegate && { id: delegate.delegation_id, now: platform.clock() };
  // Locked until the commit: whoever stops the delegation comes before or after.
  if (standing && !(await lockStanding(trx, standing))) return failure(delegationOver());
  const acting = delegatedFacts(delegate);
  const person = delegate ? { fullName: user.full_name, email: user.email } : recipient;
  const { ip, userAgent } = client;
  return success({
    aggregate,
    recipientId: recipient.id,
    actor: { kind: "user", id: user.id, name: user.full_name, ip, userAgent },
    detail: { ...accountReach(user, person), ...acting.detail },
    personal: acting.personal,
    delegate,
  });
}
