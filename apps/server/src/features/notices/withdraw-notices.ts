import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { NoticeKind } from "./domain/notice.ts";
import { withdrawQueued } from "./store.ts";

/** What asks its reader to act. */
const REQUESTS: readonly NoticeKind[] = ["invitation", "reminder", "expiring", "extended", "code"];
const SOME = { codes: ["code"], deadlines: ["extended"], warnings: ["expiring"] } as const satisfies Record<string, readonly NoticeKind[]>;

/**
 * Stops the requests and codes of an envelope, or of one of its recipients, that have not left yet: what they ask for is no longer possible.
 * `only: "codes"`: their links still work; `only: "deadlines"`, `only: "warnings"`: of a deadline that is another, or that nobody has to meet any more.
 */
export async function withdrawNotices(
  trx: Transaction,
  platform: { readonly clock: Clock },
  which: { readonly envelopeId: string; readonly recipientId?: string; readonly only?: keyof typeof SOME },
): Promise<void> {
  await withdrawQueued(trx, {
    envelopeId: which.envelopeId,
    recipientId: which.recipientId ?? null,
    kinds: which.only === undefined ? REQUESTS : SOME[which.only],
    at: platform.clock(),
  });
}
