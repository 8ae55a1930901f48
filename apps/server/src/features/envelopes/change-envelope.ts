import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { allOrNothing, inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { type Decision, commit, publicPageEvent } from "./commit.ts";
import { type EnvelopeCommand, type Viewer, viewerOf } from "./domain/viewer.ts";
import {
  type EnvelopeAggregate,
  loadToAnswer,
  lockEnvelope,
  lockWithPeople,
  NO_FACTS,
  updateEnvelopeRow,
} from "./store.ts";
import {
  checkActor,
  type Envelope,
  type EnvelopeAction,
  type EnvelopeActor,
  type EnvelopeRecipient,
} from "./domain/envelope.ts";
import { limitRate, takeBackHit } from "../../platform/throttle/throttle.ts";
import { mayStillSend } from "../notices/public.ts";

const HOUR_S = 3_600;
const DAY_S = 86_400;

/** Source: security §1, line 61. */
const LIMITS = {
  create: { limit: 1_000, windowS: HOUR_S },
  /** Each file runs in the sandbox. */
  upload: { limit: 1_000, windowS: HOUR_S },
  invite: { limit: 5_000, windowS: DAY_S },
  remind: { limit: 10, windowS: DAY_S },
  /** Each correction may reach another person. */
  askOne: { limit: 5, windowS: DAY_S },
  askOneOfAccount: { limit: 500, windowS: DAY_S },
  /** Each extension writes to everybody awaited. */
  extend: { limit: 10, windowS: DAY_S },
  /** Each change adds to the journal. */
  reminders: { limit: 20, windowS: DAY_S },
  publicPage: { limit: 20, windowS: DAY_S },
  /** Each, with its cancellation, writes to everybody awaited. */
  restore: { limit: 5, windowS: DAY_S },
} as const;

/**
 * `remind`, `extend`, `reminders`, `publicPage`, `restore` count by envelope, others by account or
 * recipient. Errors: `too_many_requests`.
 */
export function limitAction(
  platform: Pick<Platform, "settings" | "clock"> & { readonly db: Reader },
  action: { readonly kind: keyof typeof LIMITS; readonly id: string; readonly count?: number },
): Promise<Result<null>> {
  return limitRate(platform, {
    key: `envelope ${action.kind} ${action.id}`,
    ...LIMITS[action.kind],
    weight: action.count ?? 1,
  });
}

/**
 * Counts one recipient's messages, then all of the account. One that its server refused does not
 * count.
 * Errors: `too_many_requests`.
 */
export async function limitAskingOne(
  platform: Parameters<typeof limitAction>[0],
  asked: { readonly recipientId: string; readonly ownerId: string; readonly lastRefused: boolean },
): Promise<Result<null>> {
  if (asked.lastRefused)
    await takeBackHit(platform.db, {
      key: `envelope askOne ${asked.recipientId}`,
      ...LIMITS.askOne,
      now: platform.clock(),
    });
  const one = await limitAction(platform, { kind: "askOne", id: asked.recipientId });
  return one.ok ? limitAction(platform, { kind: "askOneOfAccount", id: asked.ownerId }) : one;
}

/** Checks the day's quota before anything is written. Errors: `too_many_messages`. */
export function mayAskToday(
  platform: Parameters<typeof limitAction>[0],
  asked: {
    readonly envelope: Pick<Envelope, "ownerId">;
    readonly recipients: readonly Pick<EnvelopeRecipient, "email" | "phoneNumber">[];
    readonly channel?: "email" | "sms";
  },
): Promise<Result<null>> {
  const common = { kind: "invitation", senderId: asked.envelope.ownerId } as const;
  const messages = asked.recipients.map(({ email, phoneNumber }) =>
    asked.channel === "sms" && phoneNumber !== null
      ? ({ ...common, channel: "sms", destination: phoneNumber } as const)
      : ({ ...common, channel: "email", destination: email } as const),
  );
  return mayStillSend(platform.db, platform, messages);
}

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

/** `read`: by the caller; null: checked by nobody. Errors: `version_conflict`. */
export function checkVersion(
  { version }: Pick<Envelope, "version">,
  read: number | null | undefined,
): Result<null> {
  return typeof read === "number" && read !== version
    ? failure(problem("version_conflict", { extensions: { version } }))
    : success(null);
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
