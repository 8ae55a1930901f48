import type { Platform } from "../../platform/platform.ts";
import type { SealingDeps } from "./seal/create-sealing.ts";

export type SigningDeps = { readonly platform: Platform; readonly sealing: SealingDeps };

export function createSigning(platform: Platform, sealing: SealingDeps): SigningDeps {
  return { platform, sealing };
}
