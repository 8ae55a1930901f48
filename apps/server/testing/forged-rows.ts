import { sql } from "kysely";
import type { TestApp } from "./app.ts";
import type { TestPlatform } from "./platform.ts";
import { wholeTables } from "./database.ts";

/** Runs as a superuser with triggers off. */
export const asOperator = (
  { platform }: Pick<TestApp, "platform">,
  ...statements: readonly ReturnType<typeof sql>[]
) =>
  platform.owner.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    for (const statement of statements) await statement.execute(trx);
  });

const OTHER = "\\x" + "07".repeat(32);
const inEnvelope = (table: string, change: string) =>
  [`${table}: ${change}`, `update ${table} set ${change} where envelope_id = ':envelope'`] as const;
const ofEnvelope = (change: string) =>
  [`envelopes: ${change}`, `update envelopes set ${change} where id = ':envelope'`] as const;
const ofRevision = (which: string, change: string) =>
  [
    `document_revisions ${which}: ${change}`,
    `update document_revisions r set ${change} from documents d where d.envelope_id = ':envelope'
      and r.document_id = d.id and r.number = ${which}`,
  ] as const;

/**
 * Statements by which a database writer forges a completed envelope's rows, with the part that
 * `paraphe audit check` names. `:envelope` is its id, `:other` no row's.
 */
export const FORGED_ROWS: readonly (readonly [what: string, statement: string, said: RegExp])[] = [
  [...ofEnvelope("title = 'Cession de parts'"), /le titre/],
  [
    ...ofEnvelope("status = 'cancelled', cancelled_at = now(), status_before_cancel = 'completed'"),
    /l’état/,
  ],
  [...ofEnvelope("completed_at = '2020-01-01'"), /la date de fin/],
  [...ofEnvelope("created_at = '2020-01-01'"), /la date de création/],
  [...ofEnvelope("sent_at = '2020-01-01'"), /la date d’envoi/],
  [...ofEnvelope("deadline_at = '2020-01-01'"), /l’échéance/],
  [...ofEnvelope("created_by_name = 'Victime'"), /l’expéditeur/],
  [...ofEnvelope("proof_only = not proof_only"), /ce que la page publique montre/],
  [...inEnvelope("recipients", "full_name = 'Victime'"), /le nom de la partie/],
  [...inEnvelope("recipients", "email = 'victime@exemple.fr'"), /l’adresse de la partie/],
  [...inEnvelope("recipients", `delegate = '{"full_name": "Victime"}'`), /le délégué de la partie/],
  [...inEnvelope("recipients", "phone_number = '+33600000000'"), /le numéro de la partie/],
  [...inEnvelope("recipients", "role = 'approver'"), /la qualité de la partie/],
  [...inEnvelope("recipients", "viewed_at = '2020-01-01'"), /la date d’ouverture/],
  [...inEnvelope("recipients", "signed_at = '2020-01-01'"), /la date de consentement/],
  [...inEnvelope("recipients", "declined_at = '2020-01-01'"), /la date de refus/],
  [...inEnvelope("recipients", "status = 'declined'"), /l’état de la partie/],
  [...inEnvelope("documents", "name = 'Cession.pdf'"), /le nom du document/],
  [...inEnvelope("documents", `uploaded_sha256 = '${OTHER}'`), /le fichier déposé du document/],
  [...ofRevision("0", `blob_sha256 = '${OTHER}'`), /le fichier à signer du document/],
  [...ofRevision("d.current_revision", `blob_sha256 = '${OTHER}'`), /le fichier du document/],
  [...inEnvelope("documents", "current_revision = 1"), /le fichier du document/],
  [...inEnvelope("signatures", "signed_at = '2020-01-01'"), /la date de la signature/],
  [...inEnvelope("signatures", "signer_name = 'Victime'"), /le nom de la signature/],
  [...inEnvelope("signatures", "serial_number = '07'"), /le certificat de la signature/],
  [...inEnvelope("signing_acts", "method = 'authenticated'"), /le moyen du consentement/],
  [...inEnvelope("signing_acts", "consent_version = '1999-01'"), /le texte du consentement/],
  [...inEnvelope("signing_acts", `documents_sha256 = '${OTHER}'`), /les documents du consentement/],
  [...inEnvelope("signing_acts", "ip_address = '8.8.8.8'"), /l’adresse IP du consentement/],
  [...inEnvelope("signing_acts", "user_agent = 'Autre'"), /le navigateur du consentement/],
  [...inEnvelope("signing_acts", "signed_at = '2020-01-01'"), /la date du consentement/],
  [...inEnvelope("signing_acts", "sealed_at = '2020-01-01'"), /la date de scellement/],
  [...inEnvelope("prints", "created_at = '2020-01-01'"), /l’impression/],
];

/** Statements that remove rows. */
export const REMOVED_ROWS: typeof FORGED_ROWS = [
  ["signatures", "delete from signatures where envelope_id = ':envelope'", /les signatures/],
  ["consents", "delete from signing_acts where envelope_id = ':envelope'", /l’existence du/],
  ["people", "delete from recipients where envelope_id = ':envelope'", /les parties/],
  ["documents", "delete from documents where envelope_id = ':envelope'", /les documents/],
];

let remembered = 0;

/**
 * Copies every table; gives the function that restores them, even what the service's role may not
 * undo. Files, jobs and the clock stay.
 */
export async function rememberRows({
  owner,
}: Pick<TestPlatform, "owner">): Promise<() => Promise<void>> {
  const schema = `remembered_${++remembered}`;
  const { rows: tables } = await sql<{ name: string; columns: string }>`
    select c.table_name as name, string_agg(quote_ident(c.column_name), ', ') as columns
    from information_schema.columns c
    where c.table_schema = 'public' and c.table_name = any(${sql.val([...(await wholeTables(owner))])}::text[]) and c.is_generated = 'NEVER'
    group by 1`.execute(owner);
  const run = (statements: readonly string[]) =>
    sql.raw(`do $$ begin ${statements.join("; ")}; end $$`).execute(owner);
  await run([
    `create schema ${schema}`,
    ...tables.map(({ name }) => `create table ${schema}.${name} as table public.${name}`),
  ]);
  const putBack = tables.flatMap(({ name, columns }) => [
    `delete from public.${name}`,
    `insert into public.${name} (${columns}) overriding system value select ${columns} from ${schema}.${name}`,
  ]);
  return async () => {
    await run(["set local session_replication_role = replica", ...putBack]);
  };
}
