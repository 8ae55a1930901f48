import { type AuthorityPlatform, openAuthorities } from "./authorities.ts";
import type { Authorities } from "./authority.ts";

/** Delay until a rotation by another process (`paraphe keys`) applies here. */
const RELOAD_AFTER_MS = 30_000;

export type LivingAuthorities = {
  /** For uses that only need certificates. */
  last(): Authorities;
  /** At most half a minute old: for signing. */
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
