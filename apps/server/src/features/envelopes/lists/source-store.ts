import type { StoredStatus } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";

/** What a search looks for, folded as `search_text` is; the LIKE pattern that finds it; and whether in titles alone. */
export type Search = { readonly text: string; readonly pattern: string; readonly inTitles: boolean };

/**
 * Whose lists: by the account's address, confirmed by a person or not. Until it is, it shows what its own account sent there and nothing of others'.
 */
export type Person = { readonly ownerId: string; readonly emailKey: string; readonly isConfirmed: boolean };

type Folder = "draft" | "sent" | "completed" | "cancelled";

/** What a list shows. The folder `sent` holds whatever was sent and is not completed or cancelled; stored statuses, some of it. */
export type ListFilter = Person & {
  readonly status: Folder | "action_required" | readonly StoredStatus[] | null;
  readonly search: Search | null;
  readonly from: Date | null;
  readonly before: Date | null;
};

export type OrderKey = "created_at" | "title" | "deadline_at";

/** What a list is put in order by: a title by its folded text, so that « Abricot, bail, bail 2, écran, Zèbre » follow one another. */
export function orderKey(orderBy: OrderKey, table: string): RawBuilder<unknown> {
  return orderBy === "title" ? sql`${sql.ref(`${table}.search_text`)} collate "C"` : sql`${sql.ref(`${table}.${orderBy}`)}`;
}

/** Whose envelopes a list holds: one's own, or those of others that one finds in `envelope_inbox`. */
export type Source = "own" | Inbox;
type Inbox = "action_required" | "completed";

export const isInbox = (source: Source): source is Inbox => source !== "own";

/** Those awaited; among the completed ones also those that others sent and one was invited to; else one's own. */
export function sourcesOf({ status }: ListFilter): readonly Source[] {
  if (status === "action_required") return ["action_required"];
  return status === "completed" ? ["own", "completed"] : ["own"];
}

const FOLDERS: Readonly<Record<Folder, readonly StoredStatus[]>> = {
  draft: ["draft"],
  sent: ["sent", "pending", "declined", "expired"],
  completed: ["completed"],
  cancelled: ["cancelled"],
};

/** The statuses of one's own envelopes in a list; null where it is not narrowed by them. */
export function statusesOf({ status }: ListFilter): readonly string[] | null {
  if (status === null || status === "action_required") return null;
  return typeof status === "string" ? FOLDERS[status] : status;
}

/** One's own envelopes of a list, as conditions on `envelopes e` that an index answers. */
export function ownOf(filter: ListFilter): RawBuilder<unknown> {
  const { ownerId, status } = filter;
  const parts = [sql`e.purged_at is null`, sql`e.owner_id = ${ownerId}::uuid`, ...datesOf(filter, "e")];
  if (status !== null) parts.push(typeof status === "string" ? sql`e.folder = ${status}` : sql`e.status in (${sql.join(status)})`);
  return sql.join(parts, sql` and `);
}

/** Those that others sent, as conditions on `envelope_inbox i`. What waits for a signature may be one's own. */
export function inboxOf(filter: ListFilter, list: Inbox): RawBuilder<unknown> {
  const parts = [ofAddress(filter, "i"), sql`i.list = ${list}`, ...datesOf(filter, "i")];
  if (list === "completed") parts.push(sql`i.owner_id <> ${filter.ownerId}::uuid`);
  return sql.join(parts, sql` and `);
}

/** What was sent to a person's address, as a condition on a table that has `email_key` and `owner_id`. */
export function ofAddress({ ownerId, emailKey, isConfirmed }: Person, table: string): RawBuilder<unknown> {
  const address = sql`${sql.ref(`${table}.email_key`)} = ${emailKey}`;
  return isConfirmed ? address : sql`${address} and ${sql.ref(`${table}.owner_id`)} = ${ownerId}::uuid`;
}

export function datesOf({ from, before }: ListFilter, table: string): RawBuilder<unknown>[] {
  const created = sql.ref(`${table}.created_at`);
  return [...(from === null ? [] : [sql`${created} >= ${from}`]), ...(before === null ? [] : [sql`${created} < ${before}`])];
}
