import type { Status } from "@paraphe/contracts";

/** The statuses in which somebody is still to answer; to a sender whose own signature is awaited, the envelope reads `action_required`. */
export const OPEN_STATUSES: ReadonlySet<Status> = new Set(["sent", "pending", "action_required"]);
