import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { enqueueNotice } from "../notices/public.ts";
import type { Account } from "./store.ts";

const HOUR_MS = 3_600_000;

/** Tells an address that it has an account already; at most once an hour, whoever asks. */
export async function tellAlreadyRegistered(trx: Transaction, platform: Platform, account: Account): Promise<void> {
  const { publicUrl } = platform.settings;
  const hour = Math.floor(platform.clock().getTime() / HOUR_MS);
  await enqueueNotice(trx, platform, {
    kind: "already_registered",
    channel: "email",
    dedupeKey: `already_registered:${account.id}:${hour}`,
    to: { fullName: "", address: account.email },
    userId: account.id,
    content: { loginLink: `${publicUrl}/login`, resetLink: `${publicUrl}/password-reset` },
  });
}
