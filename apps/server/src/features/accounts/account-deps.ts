import { randomBytes } from "node:crypto";
import type { Problem, Result } from "@paraphe/contracts";
import { type BoundedQueue, createBoundedQueue } from "../../platform/concurrency.ts";
import type { Platform } from "../../platform/platform.ts";
import { createArgon2 } from "./argon2.ts";

/** Argon2id m=47104 KiB, t=1, p=1. Source: OWASP ASVS 5.0, appendix C. */
const COST = { memoryCost: 47_104, timeCost: 1, parallelism: 1 } as const;
/** Two to four seconds of work: whoever comes later would time out anyway, and is told at once. */
const LONGEST_QUEUE = 80;

/**
 * Hashes and compares passwords one at a time, whichever way a keyboard composes their accents (NFC, UAX #15), behind all other work of the service
 * (ADR 0024). Beyond its queue it refuses with `service_unavailable`, instead of filling the memory.
 */
export type PasswordHasher = {
  hash(password: string): Promise<Result<string, Problem>>;
  /** Compares with a stored hash; with null (nobody has this name) it spends the same time and says no. */
  verify(stored: string | null, password: string): Promise<Result<boolean, Problem>>;
  close(): Promise<void>;
};

/** Gives the hasher of this process. */
export function createPasswordHasher(): PasswordHasher {
  const queue = createBoundedQueue({ concurrency: 1, longest: LONGEST_QUEUE });
  const argon2 = createArgon2();
  let decoy: Promise<string> | null = null;
  return {
    hash: (password) => queue(() => argon2.hash(password.normalize("NFC"), COST)),
    verify: (stored, password) =>
      queue(async () => {
        decoy ??= argon2.hash(randomBytes(16).toString("hex"), COST);
        const known = stored ?? (await decoy);
        return (await argon2.verify(known, password.normalize("NFC"))) && stored !== null;
      }),
    close: argon2.close,
  };
}

/** What the use cases of accounts need. `newcomers`: the steps of registrations, in turn. */
export type AccountDeps = {
  readonly platform: Platform;
  readonly hasher: PasswordHasher;
  readonly newcomers: BoundedQueue;
};

/** One at a time: of a crowd no more than one is before a login, nor holds connections of the database. */
const NEWCOMERS = { concurrency: 1, longest: 80 };

/** Gives what the use cases of accounts share in one process: one hasher and one queue, so that their bounds hold for all of them. */
export function createAccounts(platform: Platform): AccountDeps {
  return { platform, hasher: createPasswordHasher(), newcomers: createBoundedQueue(NEWCOMERS) };
}

/** Who asks, for the list of sessions and the throttles. */
export type Asker = { readonly ip: string; readonly userAgent: string };
