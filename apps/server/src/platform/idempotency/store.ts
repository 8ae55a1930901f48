import { sql } from "kysely";
import type { Database, Transaction } from "../database/database.ts";
import { isGone } from "../database/lasting-connection.ts";
import type { Platform } from "../platform.ts";

type Keeping = Pick<Platform, "db" | "secrets">;

export type IdempotencyRow = {
  readonly requestSha256: Uint8Array;
  readonly answer: { readonly status: number; readonly body: string } | null;
  readonly createdAt: Date;
  /** Who answers and whether it is gone; null: unknown. */
  readonly owner: number | null;
  readonly ownerGone: boolean | null;
};
export type IdempotencyKey = { readonly scope: string; readonly key: string };

/** An answer may show a secret once. */
const contextOf = ({ scope, key }: IdempotencyKey) => `idempotent answer ${scope} ${key}`;
const ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

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
  { db, secrets }: Keeping,
  id: IdempotencyKey,
): Promise<IdempotencyRow | null> {
  const row = await db
    .selectFrom("idempotency_keys")
    .select([
      "request_sha256",
      "status",
      "answer_wrapped",
      "created_at",
      "owner",
      isGone("owner").as("owner_gone"),
    ])
    .where("scope", "=", id.scope)
    .where("key", "=", id.key)
    .executeTakeFirst();
  if (!row) return null;
  const answer =
    row.status === null || row.answer_wrapped === null
      ? null
      : {
          status: row.status,
          body: new TextDecoder().decode(secrets.unwrap(row.answer_wrapped, contextOf(id))),
        };
  return {
    requestSha256: row.request_sha256,
    answer,
    createdAt: row.created_at,
    owner: row.owner,
    ownerGone: row.owner_gone,
  };
}

/** `takenAt` leaves a key that was taken again. */
export async function storeIdempotentAnswer(
  { db, secrets }: Keeping,
  id: IdempotencyKey,
  { status, body, takenAt }: { status: number; body: string; takenAt: Date },
): Promise<void> {
  await db
    .updateTable("idempotency_keys")
    .set({
      status,
      answer_wrapped: secrets.wrap(new TextEncoder().encode(body), contextOf(id)),
      answer_ids: [...new Set(body.match(ID))],
    })
    .where("scope", "=", id.scope)
    .where("key", "=", id.key)
    .where("created_at", "=", takenAt)
    .execute();
}

/** Deletes a key without a final answer. `takenAt` leaves one taken again. */
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

export async function forgetAnswers(trx: Transaction, id: string): Promise<void> {
  await sql`delete from idempotency_keys where status is not null and (strpos(scope, ${id}) > 0 or ${id} = any(answer_ids))`.execute(
    trx,
  );
}
