import type { KnownDomains } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Reader } from "../../../platform/database/database.ts";

export type KnownPerson = {
  readonly fullName: string;
  readonly email: string;
  readonly phoneNumber: string | null;
};

/** Bounds the reading for senders of a million envelopes. */
const RECENT_ENVELOPES = 2_000;
const RECENT_PEOPLE = 4_000;

/**
 * "offset 0" reads each envelope's people in the order of envelopes, so that reading stops early.
 */
const recentPeople = (ownerId: string) => sql`
  select r.full_name, r.email, r.email_key, r.phone_number, e.sent_at
  from (
    select id, sent_at from envelopes where owner_id = ${ownerId}::uuid and purged_at is null and sent_at is not null
    order by created_at desc, id desc limit ${sql.lit(RECENT_ENVELOPES)}
  ) e
  cross join lateral (select full_name, email, email_key, phone_number from recipients r where r.envelope_id = e.id order by r.position offset 0) r
  limit ${sql.lit(RECENT_PEOPLE)}`;

/** Folds in SQL as `searchText` does. */
export const searchedText = (
  text: RawBuilder<unknown>,
) => sql<string>`trim(regexp_replace(replace(replace(replace(translate(
  regexp_replace(normalize(lower(${text}), NFKD), '[\\u0300-\\u036f\\u0483-\\u0489\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f]', '', 'g'),
  'øłđ’‘', 'old'''''), 'œ', 'oe'), 'æ', 'ae'), 'ß', 'ss'), '\\s+', ' ', 'g'))`;

export async function selectKnownPeople(
  reader: Reader,
  asked: { readonly ownerId: string; readonly patterns: readonly string[]; readonly limit: number },
): Promise<readonly KnownPerson[]> {
  const searched = searchedText(sql`full_name || ' ' || email`);
  const found =
    asked.patterns.length === 0
      ? sql`true`
      : sql`${searched} like all (${sql.val([...asked.patterns])}::text[])`;
  // Distinct people first, their names after: most were asked many times.
  const { rows } = await sql<{ full_name: string; email: string; phone_number: string | null }>`
    with people as materialized (
      select distinct on (email_key, lower(full_name)) full_name, email, phone_number, sent_at
      from (${recentPeople(asked.ownerId)}) recent
      order by email_key, lower(full_name), sent_at desc
    )
    select full_name, email, phone_number from people where ${found} order by sent_at desc, full_name limit ${asked.limit}`.execute(
    reader,
  );
  return rows.map((row) => ({
    fullName: row.full_name,
    email: row.email,
    phoneNumber: row.phone_number,
  }));
}

export async function selectKnownDomains(
  reader: Reader,
  asked: { readonly ownerId: string; readonly limit: number },
): Promise<KnownDomains["results"]> {
  const { rows } = await sql<{ domain: string; people: number }>`
    select lower(regexp_replace(email, '^.*@', '')) as domain, count(distinct email_key)::int as people
    from (${recentPeople(asked.ownerId)}) recent
    group by 1 order by 2 desc, 1 limit ${asked.limit}`.execute(reader);
  return rows;
}
