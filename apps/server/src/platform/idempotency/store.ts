import { sql } from "kysely";
import type { Database, Transaction } from "../database/database.ts";
import { isGone } from "../database/presence.ts";

export type IdempotencyRow = {
  readonly requestSha256: Uint8Array;
  readonly answer: { readonly status: number; readonly body: string } | null;
  readonly createdAt: Date;
  /** The number of the process that answers the request, and whether it is gone; null where nobody can tell. */
  readonly owner: number | null;
  readonly ownerGone: boolean | null;
};
export type IdempotencyKey = { readonly scope: string; readonly key: string };

/** Takes a key for this request. False when it is taken. */
export async function insertIdempotencyKey(
  db: Database,
  id: IdempotencyKey,
  row: { requestSha256: Uint8Array; now: Date; owner: number | null },
): Promise<boolean> {
  const inserted = await db
    .insertInto("idempotency_keys")
    .values({ ...id, request_sha256: row.requestSha256, created_at: row.now, owner: row.owner })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

export async function loadIdempotencyKey(
  db: Database,
  id: IdempotencyKey,
): Promise<IdempotencyRow | null> {
  const row = await db
    .selectFrom("idempotency_keys")
    .select([
      "request_sha256",
      "status",
      "body",
      "created_at",
      "owner",
      isGone("owner").as("owner_gone"),
    ])
    .where("scope", "=", id.scope)
    .where("key", "=", id.key)
    .executeTakeFirst();
  if (!row) return null;
  const answer =
    row.status === null
      ? null
      : { status: row.status, body: typeof row.body === "string" ? row.body : "" };
  return {
    requestSha256: row.request_sha256,
    answer,
    createdAt: row.created_at,
    owner: row.owner,
    ownerGone: row.owner_gone,
  };
}

/** Keeps the answer of a key. `takenAt` guards a key taken again since. */
export async function storeIdempotentAnswer(
  db: Database,
  id: IdempotencyKey,
  answer: { status: number; body: string; takenAt: Date },
): Promise<void> {
  await db
    .updateTable("idempotency_keys")
    // Kept as one JSON text: jsonb would put an object's members in another order.
    .set({ status: answer.status, body: JSON.stringify(answer.body) })
    .where("scope", "=", id.scope)
    .where("key", "=", id.key)
    .where("created_at", "=", answer.takenAt)
    .execute();
}

/** Gives a key back: its request was not answered for good. `takenAt` guards a key taken again since. */
export async function deleteIdempotencyKey(
  db: Database,
  id: IdempotencyKey,
  takenAt: Date,
): Promise<void> {
  await db
    .deleteFrom("idempotency_keys")
    .where("scope", "=", id.scope)
    .where("key", "=", id.key)
    .where("created_at", "=", takenAt)
    .execute();
}

export async function sweepIdempotencyKeys(db: Database, olderThan: Date): Promise<void> {
  await db.deleteFrom("idempotency_keys").where("created_at", "<", olderThan).execute();
}

/** Deletes the answers kept for `Idempotency-Key` that name this id in their address or text. One that is still awaited holds nothing, and stays. */
export async function forgetAnswers(trx: Transaction, id: string): Promise<void> {
  await sql`delete from idempotency_keys where status is not null and (strpos(scope, ${id}) > 0 or strpos(body::text, ${id}) > 0)`.execute(
    trx,
  );
}
