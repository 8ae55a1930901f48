import { type AuthorityPlatform, openAuthorities } from "./authorities.ts";
import type { Authorities } from "./authority.ts";

/** A key rotated by another process (`paraphe keys`) is in use everywhere after this. */
const RELOAD_AFTER_MS = 30_000;

/** The authorities as this process last read them. */
export type LivingAuthorities = {
  /** As last read: for what only leans on certificates. */
  last(): Authorities;
  /** Read again when they are half a minute old: for what signs. */
  fresh(): Promise<Authorities>;
};

export async function openLivingAuthorities(
  platform: AuthorityPlatform,
): Promise<LivingAuthorities> {
  let authorities = await openAuthorities(platform);
  let readAt = platform.clock().getTime();
  return {
    last: () => authorities,
    async fresh() {
      const now = platform.clock().getTime();
      if (Math.abs(now - readAt) >= RELOAD_AFTER_MS) {
        authorities = await openAuthorities(platform);
        readAt = now;
      }
      return authorities;
    },
  };
}
