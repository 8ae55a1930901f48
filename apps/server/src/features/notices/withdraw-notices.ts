import type { Clock } from "../../platform/clock.ts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { updateAnswered, updateOpened } from "./delivery-store.ts";
import type { NoticeKind } from "./domain/notice.ts";
import { unwrapContent } from "./enqueue-notice.ts";
import { deleteUnsentDeadlines, withdrawQueued } from "./store.ts";

/** What asks its reader to act. */
const REQUESTS: readonly NoticeKind[] = ["invitation", "reminder", "expiring", "extended", "code"];
const SOME = {
  codes: ["code"],
  deadlines: ["extended"],
  warnings: ["expiring"],
} as const satisfies Record<string, readonly NoticeKind[]>;

/**
 * Stops the requests and codes of an envelope, or of one of its recipients, that have not left yet: what they ask for is no longer possible.
 * `only: "codes"`: their links still work; `only: "deadlines"`, `only: "warnings"`: of a deadline that is another, or that nobody has to meet any more.
 */
export async function withdrawNotices(
  trx: Transaction,
  platform: { readonly clock: Clock },
  which: {
    readonly envelopeId: string;
    readonly recipientId?: string;
    readonly only?: keyof typeof SOME;
  },
): Promise<void> {
  await withdrawQueued(trx, {
    envelopeId: which.envelopeId,
    recipientId: which.recipientId ?? null,
    kinds: which.only === undefined ? REQUESTS : SOME[which.only],
    at: platform.clock(),
  });
}

/** What a recipient has not been told of a deadline that is another again: which one they know, and whether their link had stopped working. */
type UntoldDeadline = {
  readonly recipientId: string;
  readonly knownDeadlineAt: Date | null;
  readonly reopened: boolean;
};

/**
 * Takes back the messages about an envelope's deadline that have not left, a server being away; gives what their recipients have not been told then, but for
 * those who were asked again since. One that a server was handed may have arrived: it is not tried again, and counts as told.
 */
export async function takeBackDeadlines(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "secrets">,
  envelopeId: string,
): Promise<readonly UntoldDeadline[]> {
  const unsent = await deleteUnsentDeadlines(trx, envelopeId);
  await withdrawNotices(trx, platform, { envelopeId, only: "deadlines" });
  return unsent.flatMap(({ id, recipientId, contentWrapped }) => {
    const { knownDeadlineAt, reopened } = unwrapContent<"extended">(
      platform.secrets,
      id,
      contentWrapped,
    ).content;
    // Those asked for by an older version do not say.
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

/**
 * Notes that a message reached its reader. What proves it is what the message held: the token of its link, by its SHA-256, or the
 * code that came back. Nothing is fetched by a mail for this.
 */
export async function recordArrival(
  reader: Reader,
  platform: { readonly clock: Clock },
  proof: { readonly linkSha256: Uint8Array } | { readonly dedupeKey: string },
): Promise<void> {
  const at = platform.clock();
  if ("linkSha256" in proof) await updateOpened(reader, { linkSha256: proof.linkSha256, at });
  else await updateAnswered(reader, { dedupeKey: proof.dedupeKey, at });
}
