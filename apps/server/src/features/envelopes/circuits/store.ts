import type { Circuit } from "@paraphe/contracts/circuit";
import { foldText } from "@paraphe/kernel/french-words";
import { sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";

export async function selectCircuits(reader: Reader): Promise<readonly Circuit[]> {
  const { rows } = await sql<Circuit>`
    select c.id, c.name, c.use, c.kinds, c.steps, c.version,
      (select count(*) from envelopes e where e.circuit->>'id' = c.id::text
        and (e.status in ('sent', 'pending') or (e.status = 'draft' and e.sent_at is not null))
        and e.purged_at is null)::int as running
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

export async function deleteCircuitRow(trx: Transaction, id: string): Promise<string | null> {
  const row = await trx
    .deleteFrom("circuits")
    .where("id", "=", id)
    .returning("name")
    .executeTakeFirst();
  return row?.name ?? null;
}

/** Frees the people of its drafts; a circuit that is still imposed must be applied again. */
export async function releaseDrafts(trx: Transaction, circuitId: string): Promise<void> {
  await sql`update envelopes set circuit = jsonb_set(circuit, '{imposed}', 'false')
    where coalesce(status_before_cancel, status) = 'draft' and circuit->>'id' = ${circuitId}`.execute(
    trx,
  );
}

const isStepOf = (holder: string) =>
  sql<boolean>`step->'by'->>'who' = 'person' and lower(step->'by'->>'email') = ${holder}`;

export async function countCircuitSteps(reader: Reader, emailKey: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from circuits, jsonb_array_elements(steps) step
    where ${isStepOf(emailKey)}`.execute(reader);
  return rows[0]?.count ?? 0;
}

/** Steps of a leaver then name the heir. */
export async function passCircuitSteps(
  trx: Transaction,
  {
    from,
    to,
    now,
  }: { from: string; to: { readonly email: string; readonly fullName: string }; now: Date },
): Promise<void> {
  const by = JSON.stringify({ who: "person", email: to.email, full_name: to.fullName });
  await sql`
    update circuits set version = version + 1, updated_at = ${now}::timestamptz, steps = (
      select jsonb_agg(case when ${isStepOf(from)}
        then jsonb_set(step, '{by}', ${by}::jsonb) else step end order by place)
      from jsonb_array_elements(steps) with ordinality as s (step, place))
    where exists (select from jsonb_array_elements(steps) step where ${isStepOf(from)})`.execute(
    trx,
  );
}

export async function selectCircuitName(reader: Reader, id: string): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    select c.name from circuits c join organisations h on h.id = c.organisation_id and h.is_host
    where c.id = ${id}::uuid`.execute(reader);
  return rows[0]?.name ?? null;
}
