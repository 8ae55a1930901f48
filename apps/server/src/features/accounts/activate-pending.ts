import type { Transaction } from "../../platform/database/database.ts";
import { deletePending, findActivated, holdAddress } from "./pending-store.ts";
import { activate, lockAccount } from "./store.ts";

/**
 * Makes a registration the account of its address, in the caller's transaction; its other registrations, and their links, are forgotten.
 * False when the registration is gone, or the address has another account.
 */
export async function activatePending(
  trx: Transaction,
  registration: { readonly id: string; readonly emailKey: string; readonly now: Date },
): Promise<boolean> {
  const { id, emailKey, now } = registration;
  await holdAddress(trx, emailKey);
  const account = await lockAccount(trx, id);
  const activated = await findActivated(trx, emailKey);
  if (account === null || (activated !== null && activated !== id)) return false;
  await activate(trx, { id, now });
  await deletePending(trx, emailKey);
  return true;
}
