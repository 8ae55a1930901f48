import { failure, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import type { SessionUser } from "../accounts/public.ts";
import { findRecipientByToken, tokenSha256 } from "../envelopes/public.ts";
import { selectChannel } from "../notices/public.ts";
import { confirmAddressOf } from "./confirm-address-of.ts";

/**
 * Confirms the address of an account by a link that was mailed to it, carried here in a session of the account: whoever opens links without being signed in
 * confirms nothing.
 * Errors: `not_found` for a wrong token, a link to somebody else, and one that did not go by mail alone.
 */
export async function confirmByLink(
  platform: Platform,
  { envelopeId, token, user }: { readonly envelopeId: string; readonly token: string; readonly user: SessionUser },
): Promise<Result<null>> {
  return inTransaction<Result<null>>(platform.db, async (trx) => {
    const known = await findRecipientByToken(trx, envelopeId, token);
    const isTheirs = known?.recipient.emailKey === user.email_key;
    if (!isTheirs || (await selectChannel(trx, { linkSha256: tokenSha256(token) })) !== "email") return failure(problem("not_found"));
    if (user.recipient_key === null) await confirmAddressOf(trx, platform, user);
    return success(null);
  });
}
