import { sql } from "kysely";
import type { Transaction } from "../database/database.ts";

/** Deletes the answers kept for `Idempotency-Key` that name this id in their address or text. One that is still awaited holds nothing, and stays. */
export async function forgetAnswers(trx: Transaction, id: string): Promise<void> {
  await sql`delete from idempotency_keys where status is not null and (strpos(scope, ${id}) > 0 or strpos(body::text, ${id}) > 0)`.execute(
    trx,
  );
}
