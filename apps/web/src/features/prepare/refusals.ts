import { ApiError } from "../../lib/api-error.ts";
import { type DraftRecipient, isBlankRecipient } from "./draft.ts";
import type { SaveStatus } from "./draft-state.ts";

/** What the service refused of a save, said where it was typed: place in the body (`recipients.0.full_name`) → sentences. */
export type Refusals = Readonly<Record<string, readonly string[]>>;

/** Gives what the last save was refused for; the next change takes it away. */
export function refusalsOf(status: SaveStatus): Refusals {
  return status.kind === "failed" && status.error instanceof ApiError ? status.error.fieldErrors : {};
}

/** Gives what was refused of one row: the service counts the rows it was sent, blank ones are not. */
export function rowRefusals(
  refused: Refusals,
  row: DraftRecipient,
  rows: readonly DraftRecipient[],
): { readonly fullName?: string | undefined; readonly email?: string | undefined } {
  const place = rows.filter((other) => !isBlankRecipient(other)).indexOf(row);
  return { fullName: refused[`recipients.${place}.full_name`]?.[0], email: refused[`recipients.${place}.email`]?.[0] };
}
