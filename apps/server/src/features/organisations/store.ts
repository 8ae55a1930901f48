import type {
  Colour,
  IdentityRequest,
  MemberRole,
  OrganisationMails,
  RegistrationChoice,
  ShownIdentity,
} from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { RegistrationPolicy } from "../../platform/settings/settings.ts";
import type { EventDetail, OrganisationEventKind } from "./domain/journal-words.ts";
import type { Standing } from "./domain/permissions.ts";

/** `identity`: null until named; `registration`: null while the setting decides. */
export type Host = {
  readonly id: string;
  readonly version: number;
  readonly identity: ShownIdentity | null;
  readonly registration: RegistrationPolicy | null;
  readonly colour: Colour | null;
  readonly hasLogo: boolean;
  readonly mails: OrganisationMails;
  readonly access: Access;
};

/** What members' accounts must have; null: nothing more. */
export type Access = {
  readonly secondFactorBy: Date | null;
  readonly confirmsSignatures: boolean;
  readonly passwordMinLength: number | null;
  readonly idleHours: number | null;
};

const HOST = [
  "id",
  "version",
  "name",
  "legal_form",
  "address",
  "siret",
  "representative",
  "contact_email",
  "dpo_email",
  "registration",
  "registration_domains",
  "colour",
  sql<boolean>`logo is not null`.as("has_logo"),
  "mail_sender_name",
  "mail_reply_to",
  "mail_footer",
  "second_factor_by",
  "confirms_signatures",
  "password_min_length",
  "idle_hours",
] as const;

export async function selectHost(reader: Reader): Promise<Host | null> {
  const row = await reader
    .selectFrom("organisations")
    .select(HOST)
    .where("is_host", "=", true)
    .executeTakeFirst();
  return row === undefined ? null : hostOf(row);
}

/** Inserts it if missing; locks until the transaction ends. */
export async function lockHost(
  trx: Transaction,
  made: { readonly id: string; readonly now: Date },
): Promise<Host> {
  await trx
    .insertInto("organisations")
    .values({ id: made.id, is_host: true, created_at: made.now, updated_at: made.now })
    .onConflict((conflict) => conflict.column("is_host").doNothing())
    .execute();
  const row = await trx
    .selectFrom("organisations")
    .select(HOST)
    .where("is_host", "=", true)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return hostOf(row);
}

type HostRow = {
  readonly id: string;
  readonly version: number;
  readonly registration: string | null;
  readonly registration_domains: readonly string[];
  readonly colour: string | null;
  readonly has_logo: boolean;
  readonly mail_sender_name: string | null;
  readonly mail_reply_to: string | null;
  readonly mail_footer: string | null;
  readonly second_factor_by: Date | null;
  readonly confirms_signatures: boolean;
  readonly password_min_length: number | null;
  readonly idle_hours: number | null;
} & { readonly [K in keyof ShownIdentity]: string | null };

function hostOf(row: HostRow): Host {
  const { id, version, name, legal_form, address, contact_email, registration } = row;
  const { siret, representative, dpo_email } = row;
  const isNamed =
    name !== null && legal_form !== null && address !== null && contact_email !== null;
  return {
    id,
    version,
    identity: isNamed
      ? { name, legal_form, address, siret, representative, contact_email, dpo_email }
      : null,
    registration: policyOf(registration, row.registration_domains),
    colour: row.colour,
    hasLogo: row.has_logo,
    mails: {
      sender_name: row.mail_sender_name,
      reply_to: row.mail_reply_to,
      footer: row.mail_footer,
    },
    access: {
      secondFactorBy: row.second_factor_by,
      confirmsSignatures: row.confirms_signatures,
      passwordMinLength: row.password_min_length,
      idleHours: row.idle_hours,
    },
  };
}

function policyOf(kind: string | null, domains: readonly string[]): RegistrationPolicy | null {
  if (kind === "domains") return { kind, domains };
  return kind === "open" || kind === "closed" ? { kind } : null;
}

export async function updateIdentity(
  trx: Transaction,
  change: { readonly id: string; readonly identity: Omit<IdentityRequest, "version">; now: Date },
): Promise<void> {
  await trx
    .updateTable("organisations")
    .set((eb) => ({ ...change.identity, version: eb("version", "+", 1), updated_at: change.now }))
    .where("id", "=", change.id)
    .execute();
}

export async function updateRegistration(
  trx: Transaction,
  change: { readonly id: string; readonly choice: RegistrationChoice; readonly now: Date },
): Promise<void> {
  const { kind, domains } = change.choice;
  await trx
    .updateTable("organisations")
    .set((eb) => ({
      registration: kind,
      registration_domains: kind === "domains" ? [...new Set(domains)] : [],
      version: eb("version", "+", 1),
      updated_at: change.now,
    }))
    .where("id", "=", change.id)
    .execute();
}

export async function selectLogo(reader: Reader): Promise<Uint8Array | null> {
  const row = await reader
    .selectFrom("organisations")
    .select("logo")
    .where("is_host", "=", true)
    .executeTakeFirst();
  return row?.logo ?? null;
}

/** `logo` undefined leaves it as it is. */
export async function updateAppearance(
  trx: Transaction,
  change: {
    readonly id: string;
    readonly colour: Colour | null;
    readonly logo: Uint8Array | null | undefined;
    readonly now: Date;
  },
): Promise<void> {
  await trx
    .updateTable("organisations")
    .set((eb) => ({
      colour: change.colour,
      ...(change.logo === undefined ? {} : { logo: change.logo && Buffer.from(change.logo) }),
      version: eb("version", "+", 1),
      updated_at: change.now,
    }))
    .where("id", "=", change.id)
    .execute();
}

export async function updateMails(
  trx: Transaction,
  change: { readonly id: string; readonly mails: OrganisationMails; readonly now: Date },
): Promise<void> {
  const { sender_name, reply_to, footer } = change.mails;
  await trx
    .updateTable("organisations")
    .set((eb) => ({
      mail_sender_name: sender_name,
      mail_reply_to: reply_to,
      mail_footer: footer,
      version: eb("version", "+", 1),
      updated_at: change.now,
    }))
    .where("id", "=", change.id)
    .execute();
}

export async function updateAccess(
  trx: Transaction,
  change: { readonly id: string; readonly access: Access; readonly now: Date },
): Promise<void> {
  const { secondFactorBy, confirmsSignatures, passwordMinLength, idleHours } = change.access;
  await trx
    .updateTable("organisations")
    .set((eb) => ({
      second_factor_by: secondFactorBy,
      confirms_signatures: confirmsSignatures,
      password_min_length: passwordMinLength,
      idle_hours: idleHours,
      version: eb("version", "+", 1),
      updated_at: change.now,
    }))
    .where("id", "=", change.id)
    .execute();
}

/** Never lowers an owner. Gives the former role, null for a newcomer. */
export async function upsertMember(
  trx: Transaction,
  member: { organisationId: string; userId: string; role: MemberRole; now: Date },
): Promise<MemberRole | null> {
  const before = await selectRole(trx, member.userId);
  await trx
    .insertInto("organisation_members")
    .values({
      organisation_id: member.organisationId,
      user_id: member.userId,
      role: member.role,
      created_at: member.now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["organisation_id", "user_id"])
        .doUpdateSet({ role: member.role })
        .where("organisation_members.role", "<>", "owner"),
    )
    .execute();
  return before;
}

/** Null for whoever is no member of the host. */
export async function selectRole(reader: Reader, userId: string): Promise<MemberRole | null> {
  const row = await reader
    .selectFrom("organisation_members as m")
    .innerJoin("organisations as o", "o.id", "m.organisation_id")
    .select("m.role")
    .where("o.is_host", "=", true)
    .where("m.user_id", "=", userId)
    .executeTakeFirst();
  return (row?.role ?? null) as MemberRole | null;
}

/** Columns of a person's standing in the host, for any statement. */
export function standingOf(member: RawBuilder<unknown>) {
  return [
    sql<MemberRole | null>`(
      select m.role from organisation_members m join organisations o on o.id = m.organisation_id
      where o.is_host and m.user_id = ${member}::uuid)`.as("role"),
    sql<Standing["teams"]>`coalesce((
      select jsonb_agg(jsonb_build_object(
        'id', t.id, 'name', t.name, 'isAdministrator', m.is_administrator) order by lower(t.name))
      from team_members m join teams t on t.id = m.team_id
      join organisations o on o.id = t.organisation_id
      where o.is_host and m.member_id = ${member}::uuid), '[]')`.as("teams"),
  ] as const;
}

export function selectStanding(reader: Reader, userId: string): Promise<Standing> {
  return reader.selectNoFrom(standingOf(sql.val(userId))).executeTakeFirstOrThrow();
}

export function teamsUnder(holder: RawBuilder<unknown>): RawBuilder<Standing["teams"]> {
  return sql<Standing["teams"]>`coalesce((
    select jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'isAdministrator', false)
      order by lower(t.name))
    from teams t where t.id = ${holder} or t.organisation_id = ${holder}), '[]')`;
}

export async function updateRole(
  trx: Transaction,
  member: { readonly organisationId: string; readonly userId: string; readonly role: MemberRole },
): Promise<void> {
  await trx
    .updateTable("organisation_members")
    .set({ role: member.role })
    .where("organisation_id", "=", member.organisationId)
    .where("user_id", "=", member.userId)
    .execute();
}

export async function countMembers(
  reader: Reader,
): Promise<{ readonly members: number; readonly owners: number }> {
  const row = await reader
    .selectFrom("organisation_members as m")
    .innerJoin("organisations as o", "o.id", "m.organisation_id")
    .select((eb) => [
      eb.fn.countAll<string>().as("members"),
      eb.fn.countAll<string>().filterWhere("m.role", "=", "owner").as("owners"),
    ])
    .where("o.is_host", "=", true)
    .executeTakeFirstOrThrow();
  return { members: Number(row.members), owners: Number(row.owners) };
}

export async function deleteMemberships(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom("organisation_members").where("user_id", "=", userId).execute();
}

type NewEvent = {
  readonly id: string;
  readonly organisationId: string;
  readonly at: Date;
  readonly kind: OrganisationEventKind;
  readonly actorId: string | null;
  readonly subjectId: string | null;
  readonly detail: EventDetail;
};

export async function insertEvent(trx: Transaction, event: NewEvent): Promise<void> {
  await trx
    .insertInto("organisation_events")
    .values({
      id: event.id,
      organisation_id: event.organisationId,
      at: event.at,
      kind: event.kind,
      actor_id: event.actorId,
      subject_id: event.subjectId,
      detail: JSON.stringify(event.detail),
    })
    .execute();
}

export type StoredEvent = Omit<NewEvent, "kind" | "organisationId"> & { readonly kind: string };

export async function selectEvents(
  reader: Reader,
  page: { readonly before: string | null; readonly limit: number },
): Promise<readonly StoredEvent[]> {
  const rows = await reader
    .selectFrom("organisation_events as e")
    .innerJoin("organisations as o", "o.id", "e.organisation_id")
    .select(["e.id", "e.at", "e.kind", "e.actor_id", "e.subject_id", "e.detail"])
    .where("o.is_host", "=", true)
    .$if(page.before !== null, (query) =>
      query.where("e.position", "<", (eb) =>
        eb.selectFrom("organisation_events").select("position").where("id", "=", page.before),
      ),
    )
    .orderBy("e.position", "desc")
    .limit(page.limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    kind: row.kind,
    actorId: row.actor_id,
    subjectId: row.subject_id,
    detail: row.detail as EventDetail,
  }));
}

export async function deleteEvents(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("organisation_events").where("at", "<", before).execute();
}

export async function eraseEventAddress(trx: Transaction, email: string): Promise<void> {
  await sql`
    update organisation_events set detail = detail - 'email'
    where lower(detail ->> 'email') = ${email.toLowerCase()}`.execute(trx);
}
