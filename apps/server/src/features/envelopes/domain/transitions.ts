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
 * `remind`: also resending and correcting an address; `adjust`: deadline and reminders; `erase`:
 * end of retention; `erase_account`: completed envelopes stay.
 */
export type EnvelopeAction =
  | "update"
  | "send"
  | "remind"
  | "extend"
  | "adjust"
  | "request_extension"
  | "sign"
  | "give_visa"
  | "send_back"
  | "reassign"
  | "decline"
  | "expire"
  | "cancel"
  | "restore"
  | "purge"
  | "erase"
  | "erase_account";

export type EnvelopeActor = "sender" | "signer" | "copy" | "service";

/**
 * A status, or `progress` (`pending`, then `completed`), `before` (the status before cancellation),
 * `open` (`sent` or `pending`), `purged`.
 */
export type Outcome = StoredStatus | "same" | "progress" | "before" | "open" | "purged";

type Rule = {
  readonly by: readonly EnvelopeActor[];
  readonly from: Readonly<Partial<Record<StoredStatus, Outcome>>>;
};

/** Others are refused. Source: contract §4, 'Statuses'. */
export const TRANSITIONS: Readonly<Record<EnvelopeAction, Rule>> = {
  update: { by: ["sender"], from: { draft: "same" } },
  send: { by: ["sender"], from: { draft: "sent" } },
  remind: { by: ["sender", "service"], from: { sent: "same", pending: "same" } },
  extend: { by: ["sender"], from: { sent: "same", pending: "same", expired: "open" } },
  adjust: { by: ["sender"], from: { sent: "same", pending: "same" } },
  request_extension: { by: ["signer"], from: { sent: "same", pending: "same", expired: "same" } },
  sign: { by: ["signer"], from: { sent: "progress", pending: "progress" } },
  give_visa: { by: ["signer"], from: { sent: "same", pending: "same" } },
  send_back: { by: ["signer"], from: { sent: "same", pending: "open" } },
  reassign: { by: ["signer"], from: { sent: "same", pending: "same" } },
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

export type Attempt = {
  readonly status: StoredStatus;
  readonly action: EnvelopeAction;
  readonly actor: EnvelopeActor;
};

/**
 * Errors: `not_found` for what the recipient may not see; `not_allowed`; `not_a_signer` and
 * `viewer_cannot_sign`.
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

/** Errors: `invalid_state` with the status. */
export function outcomeOf(status: StoredStatus, action: EnvelopeAction): Result<Outcome> {
  const outcome = TRANSITIONS[action].from[status];
  return outcome === undefined ? failure(invalidState(status)) : success(outcome);
}

export function invalidState(status: StoredStatus): Problem {
  return problem("invalid_state", {
    params: { state: STATUS_LABELS[status] },
    extensions: { state: status },
  });
}
