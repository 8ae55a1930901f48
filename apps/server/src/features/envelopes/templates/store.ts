import type { LayoutField, TeamRef } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import {
  type Template,
  type TemplateContent,
  type TemplateDocument,
  withCircuitNow,
} from "./domain/template.ts";

type TemplateToInsert = {
  readonly id: string;
  readonly ownerId: string;
  readonly team: TeamRef | null;
  readonly name: string;
  readonly nameKey: string;
  readonly content: TemplateContent;
  readonly documents: readonly TemplateDocument[];
  readonly now: Date;
};

export async function lockTemplates(trx: Transaction, holderId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('templates:' || ${holderId}, 0))`.execute(
    trx,
  );
}

export async function countTemplates(reader: Reader, holderId: string): Promise<number> {
  const row = await reader
    .selectFrom("templates")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("holder_id", "=", holderId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function selectTemplateNamed(
  reader: Reader,
  named: { holderId: string; nameKey: string },
): Promise<string | null> {
  const row = await reader
    .selectFrom("templates")
    .select("id")
    .where("holder_id", "=", named.holderId)
    .where("name_key", "=", named.nameKey)
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function insertTemplateRow(
  trx: Transaction,
  template: TemplateToInsert,
): Promise<void> {
  await trx
    .insertInto("templates")
    .values({
      id: template.id,
      owner_id: template.ownerId,
      team_id: template.team?.id ?? null,
      name: template.name,
      name_key: template.nameKey,
      content: JSON.stringify(template.content),
      created_at: template.now,
      updated_at: template.now,
    })
    .execute();
  if (template.documents.length === 0) return;
  await trx
    .insertInto("template_documents")
    .values(
      template.documents.map((document, index) => ({
        template_id: template.id,
        position: index + 1,
        name: document.name,
        page_count: document.pageCount,
        blob_sha256: document.sha256,
        size: document.sizeBytes,
      })),
    )
    .execute();
}

type TemplateRow = {
  readonly id: string;
  readonly name: string;
  readonly owner_id: string;
  readonly team: TeamRef | null;
  readonly content: TemplateContent;
  readonly circuit_name: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly documents: readonly {
    readonly name: string;
    readonly page_count: number;
    readonly sha256: string;
    readonly size: number;
  }[];
};
const TEAM = sql<TeamRef | null>`(
  select json_build_object('id', g.id, 'name', g.name) from teams g where g.id = team_id)`;
const COLUMNS = sql`t.id, t.name, t.owner_id, ${TEAM} as team, t.content, t.created_at, t.updated_at, (
    select c.name from circuits c, lateral (select c.use = 'imposed' and exists (
      select from unnest(c.kinds) kind where folded_text(kind) = folded_text(t.content->>'document_kind')) as here) imposed
    where t.content->'circuit'->>'id' is not null and (here or c.id::text = t.content->'circuit'->>'id')
    order by here desc limit 1) as circuit_name, coalesce((
  select json_agg(json_build_object('name', d.name, 'page_count', d.page_count, 'sha256', encode(d.blob_sha256, 'hex'), 'size', d.size) order by d.position)
  from template_documents d where d.template_id = t.id), '[]') as documents`;

export async function selectTemplates(
  reader: Reader,
  holders: readonly string[],
): Promise<readonly Template[]> {
  const { rows } = await sql<TemplateRow>`
    select ${COLUMNS} from templates t where t.holder_id = any(${sql.val([...holders])}::uuid[]) order by t.name_key, t.id`.execute(
    reader,
  );
  return rows.map(readTemplate);
}

/** Null for a template of another holder. */
export async function selectTemplate(
  reader: Reader,
  of: { readonly id: string; readonly holders: readonly string[] },
): Promise<Template | null> {
  const { rows } = await sql<TemplateRow>`
    select ${COLUMNS} from templates t where t.id = ${of.id}::uuid and t.holder_id = any(${sql.val([...of.holders])}::uuid[])`.execute(
    reader,
  );
  return rows[0] === undefined ? null : readTemplate(rows[0]);
}

export async function updateTemplateName(
  trx: Transaction,
  change: {
    readonly id: string;
    readonly name: string;
    readonly nameKey: string;
    readonly now: Date;
  },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("templates")
    .set({ name: change.name, name_key: change.nameKey, updated_at: change.now })
    .where("id", "=", change.id)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function deleteTemplateRow(
  trx: Transaction,
  of: { readonly id: string },
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom("templates")
    .where("id", "=", of.id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

function readTemplate(row: TemplateRow): Template {
  return {
    id: row.id,
    name: row.name,
    ownerId: row.owner_id,
    team: row.team,
    content: withCircuitNow(row.content, row.circuit_name),
    documents: row.documents.map((document) => ({
      name: document.name,
      pageCount: document.page_count,
      sha256: new Uint8Array(Buffer.from(document.sha256, "hex")),
      sizeBytes: document.size,
    })),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export type StoredLayout = {
  readonly id: string;
  readonly name: string;
  readonly team: TeamRef | null;
  readonly fields: readonly LayoutField[];
  readonly createdAt: Date;
};

/** A layout saved without mention sentences has no `value`. */
type StoredField = Omit<LayoutField, "value"> & Partial<Pick<LayoutField, "value">>;

export async function lockLayouts(trx: Transaction, holderId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('layouts:' || ${holderId}, 0))`.execute(
    trx,
  );
}

export async function selectLayouts(
  reader: Reader,
  holders: readonly string[],
): Promise<readonly StoredLayout[]> {
  const rows = await reader
    .selectFrom("layouts")
    .select(["id", "name", "fields", "created_at", TEAM.as("team")])
    .where("holder_id", "in", [...holders])
    .orderBy("name_key")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    team: row.team,
    fields: (row.fields as unknown as readonly StoredField[]).map(({ value = null, ...field }) => ({
      ...field,
      value,
    })),
    createdAt: row.created_at,
  }));
}

export async function insertLayout(
  trx: Transaction,
  layout: StoredLayout & { readonly ownerId: string; readonly nameKey: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("layouts")
    .values({
      id: layout.id,
      owner_id: layout.ownerId,
      team_id: layout.team?.id ?? null,
      name: layout.name,
      name_key: layout.nameKey,
      fields: JSON.stringify(layout.fields),
      created_at: layout.createdAt,
    })
    .onConflict((conflict) => conflict.columns(["holder_id", "name_key"]).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export async function deleteLayouts(
  reader: Reader,
  of: { readonly holders: readonly string[]; readonly id?: string },
): Promise<number> {
  const all = reader.deleteFrom("layouts").where("holder_id", "in", [...of.holders]);
  const { numDeletedRows } = await (of.id === undefined
    ? all
    : all.where("id", "=", of.id)
  ).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
