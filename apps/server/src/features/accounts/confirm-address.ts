import { failure, type Problem, problem, type Result, success, type User } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { enqueueNotice, readdressHeld } from "../notices/public.ts";
import { deleteAddressChange, findAddressChange, writeAddress } from "./address-change-store.ts";
import { maskEmail } from "./domain/mask-address.ts";
import { expireUnusedLinks } from "./link-store.ts";
import { deletePending, findActivated, holdAddress } from "./pending-store.ts";
import { presentUser } from "./present-user.ts";
import { hashToken } from "./secret-token.ts";
import { loadAccount, lockAccount } from "./store.ts";

/**
 * Gives an account the address that its link came back from, once; only the session of the account that asked may. Its sessions stay; links sent to
 * the former address end, and it is told.
 * Errors: `address_link_expired`, the same for a wrong, used, replaced, old or another's link, and for an address that has an account meanwhile.
 */
export async function confirmAddress(
  platform: Platform,
  entry: { readonly userId: string; readonly token: string },
): Promise<Result<User, Problem>> {
  return inTransaction<Result<User, Problem>>(platform.db, async (trx) => {
    const now = platform.clock();
    const { userId } = entry;
    const tokenSha256 = hashToken(entry.token);
    const asked = await findAddressChange(trx, { userId, tokenSha256, now });
    if (asked === null) return failure(problem("address_link_expired"));
    // The address before the account, as everywhere.
    await holdAddress(trx, asked.emailKey);
    const account = await lockAccount(trx, userId);
    const still = await findAddressChange(trx, { userId, tokenSha256, now });
    const taken = await findActivated(trx, asked.emailKey);
    if (account === null || still === null || taken !== null) return failure(problem("address_link_expired"));
    await writeAddress(trx, { userId, email: asked.email, emailKey: asked.emailKey, now });
    await readdressHeld(trx, { userId, address: asked.email });
    await deleteAddressChange(trx, userId);
    await deletePending(trx, asked.emailKey);
    await expireUnusedLinks(trx, { userId, purpose: "reset", now });
    await enqueueNotice(trx, platform, {
      kind: "address_changing",
      channel: "email",
      dedupeKey: `address_changed:${platform.newId()}`,
      to: { fullName: "", address: account.email },
      userId,
      content: { newAddress: maskEmail(asked.email), done: true, resetLink: `${platform.settings.publicUrl}/password-reset` },
    });
    platform.log.info({ userId }, "the address of an account changed");
    const changed = await loadAccount(trx, userId);
    return changed === null ? failure(problem("session_expired")) : success(await presentUser(trx, changed));
  });
}
