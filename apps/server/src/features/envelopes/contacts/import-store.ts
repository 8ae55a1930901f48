import type { ExistingChoice, ImportLine, ImportLineState } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Database, Reader, Transaction } from "../../../platform/database/database.ts";
import { insertionOf, writeTogether } from "../../../platform/database/in-transaction.ts";
import type { ParsedLine } from "./parse-contacts.ts";
import type { SentPerson } from "./store.ts";

export type StoredImport = {
  readonly id: string;
  readonly owner_id: string;
  readonly file_name: string;
  readonly format: string;
  readonly separator: string | null;
  readonly encoding: string;
  readonly state: string;
  readonly existing: string | null;
  readonly line_count: number;
  readonly new_count: number;
  readonly known_count: number;
  readonly refused_count: number;
  readonly written_to: number;
  readonly written_count: number;
};

const IMPORT_COLUMNS = [
  "id",
  "owner_id",
  "file_name",
  "format",
  "separator",
  "encoding",
  "state",
  "existing",
  "line_count",
  "new_count",
  "known_count",
  "refused_count",
  "written_to",
  "written_count",
] as const satisfies readonly (keyof StoredImport)[];

type ImportKey = { readonly ownerId: string } | { readonly id: string };

/** `locked`: nobody else starts, runs or removes it. */
export async function selectImport(
  reader: Reader,
  key: ImportKey,
  { locked }: { readonly locked: boolean } = { locked: false },
): Promise<StoredImport | null> {
  const column = "id" in key ? "id" : "owner_id";
  let row = reader
    .selectFrom("contact_imports")
    .select(IMPORT_COLUMNS)
    .where(column, "=", "id" in key ? key.id : key.ownerId);
  if (locked) row = row.forUpdate();
  return (await row.executeTakeFirst()) ?? null;
}

type NewImport = Omit<StoredImport, "state" | "existing" | "written_to" | "written_count"> & {
  readonly created_at: Date;
};

export async function insertImport(
  trx: Transaction,
  made: NewImport,
  lines: readonly (Omit<ParsedLine, "state"> & { readonly state: ImportLineState })[],
): Promise<void> {
  await trx.insertInto("contact_imports").values(made).execute();
  for (let from = 0; from < lines.length; from += 5_000) {
    const rows = lines.slice(from, from + 5_000).map((line, index) => ({
      import_id: made.id,
      position: from + index + 1,
      line: line.line,
      full_name: line.fullName,
      email: line.email,
      second_email: line.secondEmail,
      phone_number: line.phoneNumber,
      company: line.company,
      state: line.state,
      note: line.note,
    }));
    await writeTogether(trx, [insertionOf({ into: "contact_import_lines" }, rows)]);
  }
}

export async function deleteImport(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom("contact_imports").where("id", "=", id).execute();
}

/** Faults come first, then guesses and doubles, then known and new lines. */
export async function selectPreview(
  reader: Reader,
  { id, faults, samples }: { readonly id: string; readonly faults: number; samples: number },
): Promise<readonly ImportLine[]> {
  const { rows } = await sql<ImportLine>`
    select line, full_name, email, state, note from (
      select line, full_name, email, state, note, rank, position,
        row_number() over (partition by rank order by position) as nth
      from (
        select line, full_name, email, state, note, position, case when state = 'refused' then 1 when note is not null then 2
          when state = 'known' then 3 else 4 end as rank
        from contact_import_lines where import_id = ${id}::uuid
      ) ranked
    ) numbered
    where nth <= case when rank <= 2 then ${faults}::int else ${samples}::int end
    order by rank, position`.execute(reader);
  return rows;
}

export type FaultLine = ImportLine & {
  readonly second_email: string | null;
  readonly phone_number: string | null;
  readonly company: string | null;
};

export async function selectFaults(reader: Reader, id: string): Promise<readonly FaultLine[]> {
  const { rows } = await sql<FaultLine>`
    select line, full_name, email, second_email, phone_number, company, state, note from contact_import_lines
    where import_id = ${id}::uuid and note is not null order by state <> 'refused', position`.execute(
    reader,
  );
  return rows;
}

export async function startImport(
  trx: Transaction,
  started: { readonly id: string; readonly existing: ExistingChoice },
): Promise<void> {
  await trx
    .updateTable("contact_imports")
    .set({ state: "running", existing: started.existing })
    .where("id", "=", started.id)
    .execute();
}

export type ImportSlice = {
  readonly position: number;
  readonly full_name: string;
  readonly email: string;
  readonly second_email: string | null;
  readonly phone_number: string | null;
  readonly company: string | null;
};

export async function selectSlice(
  reader: Reader,
  { id, after, limit }: { readonly id: string; readonly after: number; readonly limit: number },
): Promise<readonly ImportSlice[]> {
  return reader
    .selectFrom("contact_import_lines")
    .select(["position", "full_name", "email", "second_email", "phone_number", "company"])
    .where("import_id", "=", id)
    .where("position", ">", after)
    .where("state", "in", ["new", "known"])
    .orderBy("position")
    .limit(limit)
    .execute();
}

export type ImportedContact = Omit<SentPerson, "id"> & {
  readonly id: string;
  readonly second_email: string | null;
  readonly second_email_key: string | null;
  readonly company: string | null;
};

/** Gives the number made or changed. Each address comes once in `contacts`. */
export async function upsertImported(
  trx: Transaction,
  imported: {
    readonly ownerId: string;
    readonly contacts: readonly ImportedContact[];
    readonly existing: ExistingChoice;
    readonly now: Date;
  },
): Promise<number> {
  const { existing, now, ownerId } = imported;
  const changed = (column: string, incoming: string) =>
    existing === "replace"
      ? sql.raw(`coalesce(${incoming}.${column}, c.${column})`)
      : sql.raw(`coalesce(c.${column}, ${incoming}.${column})`);
  const name = (incoming: string) =>
    existing === "replace" ? sql.raw(`${incoming}.full_name`) : sql.raw("c.full_name");
  const { rows } = await sql<{ count: number }>`
    with incoming as (
      select id, full_name, email, email_key, second_email, second_email_key, phone_number, company
      from json_to_recordset(${JSON.stringify(imported.contacts)}::json)
        as p (id uuid, full_name text, email text, email_key text, second_email text,
          second_email_key text, phone_number text, company text)
    ), second as (
      update contacts c set full_name = ${name("i")}, phone_number = ${changed("phone_number", "i")},
        company = ${changed("company", "i")}, updated_at = ${now}
      from incoming i
      where c.holder_id = ${ownerId}::uuid and c.second_email_key = i.email_key
        and ${existing !== "skip"}
      returning c.id
    ), written as (
      insert into contacts as c (id, owner_id, full_name, email, email_key, second_email,
        second_email_key, phone_number, company, origin, created_at, updated_at)
      select id, ${ownerId}::uuid, full_name, email, email_key, second_email,
        second_email_key, phone_number, company, 'imported', ${now}, ${now}
      from incoming i where not exists (
        select from contacts k where k.holder_id = ${ownerId}::uuid and k.second_email_key = i.email_key
      )
      on conflict (holder_id, email_key) do update set full_name = ${name("excluded")},
        second_email = ${changed("second_email", "excluded")},
        second_email_key = ${changed("second_email_key", "excluded")},
        phone_number = ${changed("phone_number", "excluded")},
        company = ${changed("company", "excluded")}, updated_at = ${now}
        where ${existing !== "skip"}
      returning 1
    )
    select ((select count(*) from written) + (select count(*) from second))::int as count`.execute(
    trx,
  );
  return rows[0]?.count ?? 0;
}

export async function recordSlice(
  trx: Transaction,
  slice: { readonly id: string; readonly writtenTo: number; readonly written: number },
): Promise<void> {
  await trx
    .updateTable("contact_imports")
    .set((eb) => ({
      written_to: slice.writtenTo,
      written_count: eb("written_count", "+", slice.written),
    }))
    .where("id", "=", slice.id)
    .execute();
}

export async function endImport(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom("contact_import_lines").where("import_id", "=", id).execute();
  await trx.updateTable("contact_imports").set({ state: "done" }).where("id", "=", id).execute();
}

export async function deleteImportsBefore(db: Database, before: Date): Promise<void> {
  await db
    .deleteFrom("contact_imports")
    .where("state", "<>", "running")
    .where("created_at", "<", before)
    .execute();
}
