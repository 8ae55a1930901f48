import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import type { SessionUser } from "./find-session-user.ts";
import { markAddressConfirmed } from "./store.ts";

/** Notes, in the caller's transaction, that something mailed to the address this person has came back in their session: they act as its recipient from now on. */
export async function confirmOwnAddress(trx: Transaction, platform: Pick<Platform, "clock" | "log">, user: SessionUser): Promise<void> {
  await markAddressConfirmed(trx, { id: user.id, emailKey: user.email_key, now: platform.clock() });
  platform.log.info({ userId: user.id }, "the address of an account was confirmed by its owner");
}
