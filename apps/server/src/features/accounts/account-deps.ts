import { randomBytes } from "node:crypto";
import type { Problem, Result } from "@paraphe/contracts";
import { type BoundedQueue, createBoundedQueue } from "../../platform/concurrency.ts";
import type { Platform } from "../../platform/platform.ts";
import { type Argon2, type Argon2Cost, createArgon2 } from "./argon2.ts";

/** Argon2id m=47104 KiB, t=1, p=1. Source: OWASP ASVS 5.0, appendix C. */
const COST: Argon2Cost = { memoryCost: 47_104, timeCost: 1, parallelism: 1 };
/** Two to four seconds of work: later requests would time out anyway. */
const LONGEST_QUEUE = 80;

/**
 * Hashes NFC-normalised passwords, one at a time, at low priority (ADR 0024).
 * Errors: `service_unavailable` when the queue is full, which bounds memory.
 */
export type PasswordHasher = {
  hash(password: string): Promise<Result<string, Problem>>;
  /** `stored` null (unknown name, account of a provider) gives false in the same time. */
  verify(stored: string | null, password: string): Promise<Result<boolean, Problem>>;
  close(): Promise<void>;
};

export function createPasswordHasher(
  argon2: Argon2 = createArgon2(),
  cost: Argon2Cost = COST,
): PasswordHasher {
  const queue = createBoundedQueue({ concurrency: 1, longest: LONGEST_QUEUE });
  let decoy: Promise<string> | null = null;
  return {
    hash: (password) => queue(() => argon2.hash(password.normalize("NFC"), cost)),
    verify: (stored, password) =>
      queue(async () => {
        decoy ??= argon2.hash(randomBytes(16).toString("hex"), cost);
        const known = stored || (await decoy);
        return (await argon2.verify(known, password.normalize("NFC"))) && Boolean(stored);
      }),
    close: argon2.close,
  };
}

export type AccountDeps = {
  readonly platform: Platform;
  readonly hasher: PasswordHasher;
  readonly newcomers: BoundedQueue;
};

/** A crowd of newcomers delays one login at most and uses one database connection. */
const NEWCOMERS = { concurrency: 1, longest: 80 };

/** The process has one hasher and one queue: their limits cover all use cases. */
export function createAccounts(
  platform: Platform,
  hasher: PasswordHasher = createPasswordHasher(),
): AccountDeps {
  return { platform, hasher, newcomers: createBoundedQueue(NEWCOMERS) };
}

export type Asker = { readonly ip: string; readonly userAgent: string };
