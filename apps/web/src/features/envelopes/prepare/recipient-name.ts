import type { Draft } from "./draft.ts";

/** Gives the name shown for a recipient: the address until a name is typed. */
export function recipientName(draft: Draft, key: string): string {
  const row = draft.recipients.find((recipient) => recipient.key === key);
  return row ? row.fullName || row.email : "";
}
