import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { confirmOwnAddress, type SessionUser } from "../accounts/public.ts";
import { hashAddress } from "./code-door.ts";
import { forgetAddressTries } from "./store.ts";

/** Confirms, in the caller's transaction, the address of an account: what was mailed there came back in its session. Its wrong codes are forgotten. */
export async function confirmAddressOf(trx: Transaction, platform: Platform, user: SessionUser): Promise<null> {
  // Before the account, as whoever enters a code takes them: two that confirm at once wait for each other in one order.
  await forgetAddressTries(trx, hashAddress(platform, user));
  await confirmOwnAddress(trx, platform, user);
  return null;
}
