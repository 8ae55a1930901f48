import {
  failure,
  problem,
  type Problem,
  type Result,
  STATUS_LABELS,
  type StoredStatus,
  success,
} from "@paraphe/contracts";

/**
 * What may be asked of an envelope. `remind` also stands for asking one person again and correcting an address; `adjust` is for the deadline and the
 * automatic reminders of what waits for signatures; `erase` is the law's,
 * once evidence need be kept no longer; `erase_account` follows a closed account, whose completed envelopes stay as evidence.
 */
export type EnvelopeAction =
  | "update"
  | "send"
  | "remind"
  | "extend"
  | "adjust"
  | "request_extension"
  | "sign"
  | "decline"
  | "expire"
  | "cancel"
  | "restore"
  | "purge"
  | "erase"
  | "erase_account";

/** Who acts: its sender; one who signs or approves, once invited; one in copy, once told; the service itself, when time has come. */
export type EnvelopeActor = "sender" | "signer" | "copy" | "service";

/**
 * What an action makes of an envelope: a status, or
 * `same`, `progress` (`pending`, or `completed` with the last signature), `before` (the status it had when cancelled),
 * `open` (`sent`, or `pending` once somebody has signed), `purged` (it is gone).
 */
export type Outcome = StoredStatus | "same" | "progress" | "before" | "open" | "purged";

type Rule = {
  readonly by: readonly EnvelopeActor[];
  readonly from: Readonly<Partial<Record<StoredStatus, Outcome>>>;
};

/** Every transition there is, and whose it is: what is not written here is refused. Source: contract §4, 'Statuses'. */
export const TRANSITIONS: Readonly<Record<EnvelopeAction, Rule>> = {
  update: { by: ["sender"], from: { draft: "same" } },
  send: { by: ["sender"], from: { draft: "sent" } },
  remind: { by: ["sender", "service"], from: { sent: "same", pending: "same" } },
  extend: { by: ["sender"], from: { sent: "same", pending: "same", expired: "open" } },
  adjust: { by: ["sender"], from: { sent: "same", pending: "same" } },
  request_extension: { by: ["signer"], from: { sent: "same", pending: "same", expired: "same" } },
  sign: { by: ["signer"], from: { sent: "progress", pending: "progress" } },
  decline: { by: ["signer"], from: { sent: "declined", pending: "declined" } },
  expire: { by: ["service"], from: { sent: "expired", pending: "expired" } },
  cancel: {
    by: ["sender"],
    from: {
      draft: "cancelled",
      sent: "cancelled",
      pending: "cancelled",
      completed: "cancelled",
      declined: "cancelled",
      expired: "cancelled",
    },
  },
  restore: { by: ["sender"], from: { cancelled: "before" } },
  purge: { by: ["sender", "service"], from: { cancelled: "purged" } },
  erase: { by: ["service"], from: { completed: "purged", declined: "purged", expired: "purged" } },
  erase_account: {
    by: ["service"],
    from: {
      draft: "purged",
      sent: "purged",
      pending: "purged",
      declined: "purged",
      expired: "purged",
      cancelled: "purged",
    },
  },
};

/** An action by somebody on an envelope in a status. */
export type Attempt = {
  readonly status: StoredStatus;
  readonly action: EnvelopeAction;
  readonly actor: EnvelopeActor;
};

/**
 * Says whether an action is this person's to take.
 * Errors: `not_found` for a recipient of what is not, or no longer, theirs to see; `not_allowed` for what is somebody
 * else's; `not_a_signer` and `viewer_cannot_sign` for what is the signers'.
 */
export function checkActor({ status, action, actor }: Attempt): Result<null> {
  const isRecipient = actor === "signer" || actor === "copy";
  if (isRecipient && (status === "draft" || status === "cancelled"))
    return failure(problem("not_found"));
  const { by } = TRANSITIONS[action];
  if (by.includes(actor)) return success(null);
  if (!by.includes("signer")) return failure(problem("not_allowed"));
  return failure(problem(actor === "copy" ? "viewer_cannot_sign" : "not_a_signer"));
}

/**
 * Gives what an action makes of an envelope in this status, whoever takes it.
 * Errors: `invalid_state`, which names the status.
 */
export function outcomeOf(status: StoredStatus, action: EnvelopeAction): Result<Outcome> {
  const outcome = TRANSITIONS[action].from[status];
  return outcome === undefined ? failure(invalidState(status)) : success(outcome);
}

/** Gives the refusal of an action in this status. */
export function invalidState(status: StoredStatus): Problem {
  return problem("invalid_state", {
    params: { state: STATUS_LABELS[status] },
    extensions: { state: status },
  });
}
