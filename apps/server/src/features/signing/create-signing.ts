import type { Platform } from "../../platform/platform.ts";
import type { SealingDeps } from "./seal/create-sealing.ts";

/** What the signing calls need. */
export type SigningDeps = { readonly platform: Platform; readonly sealing: SealingDeps };

/** Gives what the signing calls of one process share. Made once, in `compose.ts`. */
export function createSigning(platform: Platform, sealing: SealingDeps): SigningDeps {
  return { platform, sealing };
}
