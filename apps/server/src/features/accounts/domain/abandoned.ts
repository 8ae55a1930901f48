import { PENDING_ACCOUNT_DAYS } from "@paraphe/contracts";

/** An account that nobody activated is forgotten after seven days, and its name is free again. */
export const ABANDONED_AFTER_MS = PENDING_ACCOUNT_DAYS * 24 * 3_600_000;
