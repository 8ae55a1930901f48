import type { Platform } from "../../platform/platform.ts";

/** Gives the keyed hash a code is stored as: six digits alone would be found by trying them all. It holds for this sending to this person only. */
export function hashCode(
  platform: Pick<Platform, "secrets">,
  sent: { readonly id: string; readonly to: string; readonly code: string },
): Uint8Array {
  return platform.secrets.hmac("one-time-code", Buffer.from(`${sent.to}:${sent.id}:${sent.code}`));
}
