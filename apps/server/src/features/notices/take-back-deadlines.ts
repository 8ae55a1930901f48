import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { deleteUnsentDeadlines } from "./store.ts";
import { withdrawNotices } from "./withdraw-notices.ts";
import { unwrapContent } from "./wrapped-content.ts";

/** What a recipient has not been told of a deadline that is another again: which one they know, and whether their link had stopped working. */
export type UntoldDeadline = { readonly recipientId: string; readonly knownDeadlineAt: Date | null; readonly reopened: boolean };

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
    const { knownDeadlineAt, reopened } = unwrapContent<"extended">(platform.secrets, id, contentWrapped).content;
    // Those asked for by an older version do not say.
    if (knownDeadlineAt === undefined) return [];
    return [{ recipientId, knownDeadlineAt: knownDeadlineAt === null ? null : new Date(knownDeadlineAt), reopened }];
  });
}
