import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import type { EnvelopeField } from "./domain/envelope.ts";

/** Writes the whole list of a draft's fields, in one statement: new ones, changed ones; those left out go. What is as it was is not touched. */
export async function replaceFieldRows(trx: Transaction, envelopeId: string, fields: readonly EnvelopeField[]): Promise<void> {
  const listed = fields.map(({ documentId, recipientId, ...field }, index) => ({
    ...field,
    document_id: documentId,
    recipient_id: recipientId,
    position: index + 1,
  }));
  await sql`
    with listed as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(listed)}::jsonb) as listed (id uuid, ${TYPED})
    ), gone as (
      delete from fields where envelope_id = ${envelopeId}::uuid and id not in (select id from listed)
    ), changed as (
      update fields f set (${NAMES}) = (${ofRow("l")})
      from listed l where f.id = l.id and f.envelope_id = ${envelopeId}::uuid and (${ofRow("f")}) is distinct from (${ofRow("l")})
    )
    insert into fields (id, envelope_id, ${NAMES})
    select l.id, ${envelopeId}::uuid, ${ofRow("l")} from listed l where not exists (select from fields f where f.id = l.id)
  `.execute(trx);
}

const COLUMNS = {
  document_id: "uuid",
  recipient_id: "uuid",
  position: "integer",
  type: "text",
  page: "integer",
  x: "double precision",
  y: "double precision",
  width: "double precision",
  height: "double precision",
  required: "boolean",
  label: "text",
  value: "text",
} as const;
const TYPED = sql.join(Object.entries(COLUMNS).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`));
const NAMES = sql.join(Object.keys(COLUMNS).map((name) => sql.ref(name)));

function ofRow(row: "f" | "l") {
  return sql.join(Object.keys(COLUMNS).map((name) => sql.ref(`${row}.${name}`)));
}
