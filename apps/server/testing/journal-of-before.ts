import { sql } from "kysely";
import type { TestApp } from "./app.ts";
import { eventHash } from "../src/features/journal/event-hash.ts";

const DETAILS = ["signers", "document_ids", "uploaded", "originals", "deadline_at"];
const VALUES = ["title", "sender_email", "document_names", "signer_names", "recipients"];
const without = (values: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

/** Does what the service's own role cannot: triggers are out of the way. */
export const asOperator = (
  { platform }: TestApp,
  ...statements: readonly ReturnType<typeof sql>[]
) =>
  platform.owner.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    for (const statement of statements) await statement.execute(trx);
  });

/**
 * Makes an envelope's journal what it would have been before its sending, or the making of what its owner alone signs, committed to what is signed, by whom and until
 * when. The service's log begins anew: it held another journal.
 */
export async function makeJournalOfBefore(test: TestApp, id: string): Promise<void> {
  const events = await test.platform.db
    .selectFrom("audit_events")
    .selectAll()
    .where("envelope_id", "=", id)
    .orderBy("sequence")
    .execute();
  let previous: Uint8Array | null = null;
  const statements = [];
  for (const { sequence, at, actor, action, detail: stored } of events) {
    const { commitments = {}, ...detail } = stored as Record<string, object>;
    const kept = without(commitments, VALUES);
    const isSending = action === "envelope_sent" || action === "envelope_created";
    const before = isSending
      ? {
          ...without(detail, DETAILS),
          ...(Object.keys(kept).length > 0 ? { commitments: kept } : {}),
        }
      : stored;
    const hash = eventHash(previous, {
      envelope_id: id,
      at: at.toISOString(),
      actor,
      action,
      detail: before,
    });
    statements.push(
      sql`update audit_events set detail = ${JSON.stringify(before)}::jsonb, hash = ${Buffer.from(hash)},
        previous_hash = ${previous === null ? null : Buffer.from(previous)} where envelope_id = ${id} and sequence = ${sequence}`,
    );
    previous = hash;
  }
  await asOperator(
    test,
    ...statements,
    sql`delete from audit_details where envelope_id = ${id} and name = any(${sql.val(VALUES)}::text[])`,
    ...["copies", "checkpoints", "leaves", "nodes", "due"].map(
      (table) => sql`delete from ${sql.table(`transparency_${table}`)}`,
    ),
  );
}
