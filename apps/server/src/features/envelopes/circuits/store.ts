import type { Circuit } from "@paraphe/contracts/circuit";
import { foldText } from "@paraphe/kernel/french-words";
import { sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";

export async function selectCircuits(reader: Reader): Promise<readonly Circuit[]> {
  const { rows } = await sql<Circuit>`
    select c.id, c.name, c.use, c.kinds, c.steps, c.version,
      (select count(*) from envelopes e where e.circuit->>'id' = c.id::text
        and e.status in ('sent', 'pending') and e.purged_at is null)::int as running
    from circuits c order by c.name_key`.execute(reader);
  return rows;
}

type CircuitRow = Pick<Circuit, "id" | "name" | "use" | "kinds" | "steps"> & { readonly now: Date };

const contentOf = ({ name, use, kinds, steps, now }: CircuitRow) => ({
  name,
  name_key: foldText(name),
  use,
  kinds: use === "free" ? [] : kinds,
  steps: JSON.stringify(steps),
  updated_at: now,
});

export async function insertCircuit(
  trx: Transaction,
  row: CircuitRow & { readonly organisationId: string },
): Promise<void> {
  const { id, organisationId, now } = row;
  const values = { id, organisation_id: organisationId, created_at: now, ...contentOf(row) };
  await trx.insertInto("circuits").values(values).execute();
}

export async function updateCircuit(trx: Transaction, row: CircuitRow): Promise<void> {
  await trx
    .updateTable("circuits")
    .set({ ...contentOf(row), version: sql`version + 1` })
    .where("id", "=", row.id)
    .execute();
}

/** Gives the name of the deleted circuit; null without one. */
export async function deleteCircuitRow(trx: Transaction, id: string): Promise<string | null> {
  const row = await trx
    .deleteFrom("circuits")
    .where("id", "=", id)
    .returning("name")
    .executeTakeFirst();
  return row?.name ?? null;
}

/** Of the host. */
export async function selectCircuitName(reader: Reader, id: string): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    select c.name from circuits c join organisations h on h.id = c.organisation_id and h.is_host
    where c.id = ${id}::uuid`.execute(reader);
  return rows[0]?.name ?? null;
}
