import { type BoundedQueue, createBoundedQueue } from "../../platform/bounded-queue.ts";
import type { Platform } from "../../platform/platform.ts";
import { createPasswordHasher, type PasswordHasher } from "./password-hasher.ts";

/** What the use cases of accounts need. `newcomers`: the steps of registrations, in turn. */
export type AccountDeps = { readonly platform: Platform; readonly hasher: PasswordHasher; readonly newcomers: BoundedQueue };

/** One at a time: of a crowd no more than one is before a login, nor holds connections of the database. */
const NEWCOMERS = { concurrency: 1, longest: 80 };

/** Gives what the use cases of accounts share in one process: one hasher and one queue, so that their bounds hold for all of them. */
export function createAccounts(platform: Platform): AccountDeps {
  return { platform, hasher: createPasswordHasher(), newcomers: createBoundedQueue(NEWCOMERS) };
}

/** Who asks, for the list of sessions and the throttles. */
export type Asker = { readonly ip: string; readonly userAgent: string };
