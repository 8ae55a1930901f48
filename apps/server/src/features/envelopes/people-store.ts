import type { StandingDelegation } from "@paraphe/contracts";
import { type Expression, type RawBuilder, type Selectable, sql } from "kysely";
import type { Reader, Schema } from "../../platform/database/database.ts";
import {
  readSigningFor,
  signingAt,
  signsInAccount,
  type StandingJson,
} from "../accounts/public.ts";
import type { Member } from "../notices/public.ts";
import { type Envelope, type EnvelopeRecipient, mustSign } from "./domain/envelope.ts";

export type Owner = Member;

const MEMBER_COLUMNS = [
  "id",
  "email",
  "email_key",
  "first_name",
  "last_name",
  "username",
  "phone_number",
  "phone_verified_at",
  "notify_email",
  "notify_sms",
  "notify_push",
  "quiet_hours",
  "daily_summary",
] as const;

type MemberRow = Omit<
  Pick<Selectable<Schema["users"]>, (typeof MEMBER_COLUMNS)[number]>,
  "phone_verified_at"
> & { readonly phone_verified_at: Date | string | null };
type PersonRow = MemberRow & {
  readonly is_confirmed: boolean;
  readonly signs_in_account: boolean;
};

function readMember(row: MemberRow): Member {
  return {
    id: row.id,
    email: row.email,
    fullName: `${row.first_name} ${row.last_name}`.trim() || row.username,
    verifiedPhone: row.phone_verified_at === null ? null : row.phone_number,
    channels: { email: row.notify_email, sms: row.notify_sms, push: row.notify_push },
    rhythm: { quietHours: row.quiet_hours, dailySummary: row.daily_summary },
  };
}

/**
 * `accounts`: e-mail keys of recipients with an account; `inAccount`: of those who sign there alone;
 * `pushMembers`: those who chose push messages; `delegates`: who sign now for recipients.
 */
export type People = {
  readonly owner: Owner;
  readonly accounts: ReadonlySet<string>;
  readonly inAccount: ReadonlySet<string>;
  readonly pushMembers: ReadonlyMap<string, Member>;
  readonly delegates: readonly {
    readonly member: Member;
    readonly delegation: StandingDelegation;
  }[];
};
export type PeopleJson = {
  readonly accounts: readonly PersonRow[];
  readonly delegates: readonly { delegate: MemberRow; delegation: StandingJson }[] | null;
};
const DELEGATE = sql<MemberRow>`jsonb_build_object(${sql.raw(
  MEMBER_COLUMNS.map((column) => `'${column}', u.${column}`).join(", "),
)})`;

export function peopleAt(ownerId: Expression<string>, emailKeys: RawBuilder<unknown>, now: Date) {
  return sql<PeopleJson>`json_build_object(
    'accounts', (select json_agg(person) from (${personRows(ownerId, emailKeys)}) as person),
    'delegates', ${signingAt(emailKeys, { now, delegate: DELEGATE })})`;
}

/** Gives the owner, and confirmed accounts at these addresses. */
function personRows(ownerId: Expression<string>, emailKeys: RawBuilder<unknown>) {
  const isConfirmed = sql`email_key = any(${emailKeys})
    and address_confirmed_at is not null and deactivated_at is null`;
  return sql<PersonRow>`select ${sql.raw(MEMBER_COLUMNS.join(", "))}, ${isConfirmed} as is_confirmed,
      ${signsInAccount(sql`users.email_key`)} as signs_in_account
    from users where id = ${ownerId} or ${isConfirmed}`;
}

/** Gives them as the lock read them, else reads them. */
export async function peopleOf(
  reader: Reader,
  {
    people,
    envelope: { ownerId },
    recipients,
  }: {
    readonly people?: People | undefined;
    readonly envelope: Pick<Envelope, "ownerId">;
    readonly recipients: readonly Pick<EnvelopeRecipient, "emailKey">[];
  },
  now: Date,
): Promise<People> {
  if (people !== undefined) return people;
  const emailKeys = sql.val(recipients.map(({ emailKey }) => emailKey));
  const read = peopleAt(sql`${ownerId}::uuid`, sql`${emailKeys}::text[]`, now);
  const { rows } = await sql<{ people: PeopleJson }>`select ${read} as people`.execute(reader);
  return readPeople(rows[0]?.people, { ownerId, now });
}

/** What a request says of the recipient's account. */
export function accountIn(
  { accounts, inAccount }: Pick<People, "accounts" | "inAccount">,
  recipient: Pick<EnvelopeRecipient, "emailKey" | "role">,
): { readonly account?: "also" | "only" } {
  if (mustSign(recipient) && inAccount.has(recipient.emailKey)) return { account: "only" };
  return accounts.has(recipient.emailKey) ? { account: "also" } : {};
}

export function readPeople(
  json: PeopleJson | undefined,
  { ownerId, now }: { readonly ownerId: string; readonly now: Date },
): People {
  const accounts = json?.accounts ?? [];
  const owner = accounts.find(({ id }) => id === ownerId);
  if (owner === undefined) throw new Error("An envelope's owner has no account");
  const confirmed = accounts.filter(({ is_confirmed }) => is_confirmed);
  return {
    owner: readMember(owner),
    accounts: new Set(confirmed.map(({ email_key }) => email_key)),
    inAccount: new Set(confirmed.flatMap((row) => (row.signs_in_account ? [row.email_key] : []))),
    pushMembers: new Map(
      confirmed.flatMap((row) => (row.notify_push ? [[row.email_key, readMember(row)]] : [])),
    ),
    delegates: (json?.delegates ?? []).flatMap(({ delegate, delegation }) =>
      readSigningFor([delegation], now).map((standing) => ({
        member: readMember(delegate),
        delegation: standing,
      })),
    ),
  };
}
