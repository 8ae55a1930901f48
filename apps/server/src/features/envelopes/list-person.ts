import type { Actor } from "./domain/command.ts";
import type { Person } from "./lists/store.ts";

/** Gives whose lists a signed-in person reads. */
export function listPersonOf({ id, email_key, recipient_key }: Actor["user"]): Person {
  return { ownerId: id, emailKey: email_key, isConfirmed: recipient_key !== null };
}
