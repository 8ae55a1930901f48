import type { CopyState } from "./copies-store.ts";

/**
 * Where copies of the checkpoints go outside.
 * Shape: `kind` is what the operator reads of it; `target` tells it from another of its kind, and is never a secret.
 */
export type CopyPlace = {
  readonly kind: "folder" | "s3" | "mail";
  readonly target: string;
  /**
   * Copies what is missing there, and notes how far it came.
   * Errors: throws when the place cannot be reached or takes nothing; what was copied before stays copied.
   */
  copy(state: CopyState): Promise<void>;
};

/** A place took nothing. The message is for the operator: a word or a code, never a secret nor a person's data. */
export class CopyFaultError extends Error {
  override readonly name = "CopyFaultError";
}
