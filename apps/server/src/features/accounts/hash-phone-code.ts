import type { Platform } from "../../platform/platform.ts";

/** Gives the keyed hash a code is stored as: six digits alone would be found by trying them all. It holds for this sending to this account only. */
export function hashPhoneCode(
  platform: Pick<Platform, "secrets">,
  sent: { readonly id: string; readonly userId: string; readonly code: string },
): Uint8Array {
  return platform.secrets.hmac("phone-code", Buffer.from(`${sent.userId}:${sent.id}:${sent.code}`));
}
