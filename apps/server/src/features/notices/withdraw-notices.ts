import type { Reader, Transaction } from "../../platform/database/database.ts";
import { type Write, writeTogether } from "../../platform/database/write-together.ts";
import type { Clock, Platform } from "../../platform/platform.ts";
import { updateAnswered, updateOpened } from "./delivery-store.ts";
import type { NoticeKind } from "./domain/notice.ts";
import { unwrapContent } from "./enqueue-notice.ts";
import { deleteUnsentDeadlines, withdrawQueued } from "./store.ts";

const REQUESTS: readonly NoticeKind[] = ["invitation", "reminder", "expiring", "extended", "code"];
const SOME = {
  codes: ["code"],
  deadlines: ["extended"],
  warnings: ["expiring"],
} as const satisfies Record<string, readonly NoticeKind[]>;

/**
 * Void requests and codes. `only`: `codes` leaves links; `deadlines` and `warnings` concern a
 * former deadline.
 */
export function withdrawNotices(
  platform: { readonly clock: Clock },
  which: {
    readonly envelopeId: string;
    readonly recipientId?: string;
    readonly only?: keyof typeof SOME;
  },
): Write {
  return withdrawQueued({
    envelopeId: which.envelopeId,
    recipientId: which.recipientId ?? null,
    kinds: which.only === undefined ? REQUESTS : SOME[which.only],
    at: platform.clock(),
  });
}

/** And whether their link had stopped working. */
type UnsentDeadline = {
  readonly recipientId: string;
  readonly knownDeadlineAt: Date | null;
  readonly reopened: boolean;
};

/**
 * Unsent ones; gives what recipients do not know, except those asked since. What a server took
 * counts as known.
 */
export async function takeBackDeadlines(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "secrets">,
  envelopeId: string,
): Promise<readonly UnsentDeadline[]> {
  const unsent = await deleteUnsentDeadlines(trx, envelopeId);
  await writeTogether(trx, [withdrawNotices(platform, { envelopeId, only: "deadlines" })]);
  return unsent.flatMap(({ id, recipientId, contentWrapped }) => {
    const { knownDeadlineAt, reopened } = unwrapContent<"extended">(
      platform.secrets,
      id,
      contentWrapped,
    ).content;
    if (knownDeadlineAt === undefined) return [];
    return [
      {
        recipientId,
        knownDeadlineAt: knownDeadlineAt === null ? null : new Date(knownDeadlineAt),
        reopened,
      },
    ];
  });
}

/** Its link was opened (SHA-256 of the token) or its code came back. */
export function arrivalOf(
  platform: { readonly clock: Clock },
  proof: { readonly linkSha256: Uint8Array } | { readonly dedupeKey: string },
): Write {
  const at = platform.clock();
  return "linkSha256" in proof
    ? updateOpened({ linkSha256: proof.linkSha256, at })
    : updateAnswered({ dedupeKey: proof.dedupeKey, at });
}

/** Writes `arrivalOf`. */
export async function recordArrival(
  reader: Reader,
  platform: { readonly clock: Clock },
  proof: Parameters<typeof arrivalOf>[1],
): Promise<void> {
  await writeTogether(reader, [arrivalOf(platform, proof)]);
}
