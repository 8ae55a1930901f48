import type { Platform } from "../../platform/platform.ts";
import { createPasswordHasher, type PasswordHasher } from "./password-hasher.ts";

/** What the use cases of accounts need. */
export type AccountDeps = { readonly platform: Platform; readonly hasher: PasswordHasher };

/** Gives what the use cases of accounts share in one process: one hasher, so that its bound holds for all of them. */
export function createAccounts(platform: Platform): AccountDeps {
  return { platform, hasher: createPasswordHasher() };
}

/** Who asks, for the list of sessions and the throttles. */
export type Asker = { readonly ip: string; readonly userAgent: string };
