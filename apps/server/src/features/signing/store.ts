import type { Reader, Transaction } from "../../platform/database/database.ts";
import { insertionOf, build, type Write } from "../../platform/database/in-transaction.ts";
import { fromHex } from "@paraphe/kernel/bytes";
import { OTP_CODES_PER_DAY } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import { signsInAccount } from "../accounts/public.ts";
import type { Facts } from "../envelopes/public.ts";
import { awaitsOpening, type Way, waysByKey, waysByLink } from "../notices/public.ts";
import type { SentCode } from "./domain/codes.ts";
import type { FoundAct } from "./seal/store.ts";

/** Whose codes these are: a recipient, or the keyed hash of an account's address. */
export type CodeHolder = { readonly recipientId: string } | { readonly addressHmac: Uint8Array };

/** `ways`: the messages that brought the code. */
export type StoredCode = SentCode & {
  readonly id: string;
  readonly channel: "email" | "sms";
  readonly codeHmac: Uint8Array;
  readonly createdAt: Date;
  readonly ways: readonly Way[];
};

/** PostgreSQL makes this JSON: times are texts, bytes hexadecimal. */
type CodeJson = {
  readonly id: string;
  readonly channel: string;
  readonly code_hmac: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly used_at: string | null;
  readonly killed_at: string | null;
  readonly wrong_tries: number;
  readonly ways: readonly Way[];
};

export function codeKey(codeId: string): string {
  return `code:${codeId}`;
}

/** The newest come first, as many as a day allows. */
function codesWhere(which: RawBuilder<unknown>): RawBuilder<readonly CodeJson[]> {
  return sql`coalesce((
    select json_agg(json_build_object(
      'id', id, 'channel', channel, 'code_hmac', encode(code_hmac, 'hex'), 'created_at', created_at,
      'expires_at', expires_at, 'used_at', used_at, 'killed_at', killed_at, 'wrong_tries', wrong_tries,
      'ways', ${waysByKey(sql`${sql.lit(codeKey(""))} || code.id`)}) order by created_at desc, id desc)
    from (select id, channel, code_hmac, created_at, expires_at, used_at, killed_at, wrong_tries from one_time_codes where ${which}
      order by created_at desc, id desc limit ${sql.lit(OTP_CODES_PER_DAY)}) as code), '[]')`;
}

function readCode(row: CodeJson): StoredCode {
  return {
    id: row.id,
    channel: row.channel === "sms" ? "sms" : "email",
    codeHmac: fromHex(row.code_hmac),
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
    usedAt: row.used_at === null ? null : new Date(row.used_at),
    killedAt: row.killed_at === null ? null : new Date(row.killed_at),
    wrongTries: row.wrong_tries,
    ways: row.ways,
  };
}

function isOf(holder: CodeHolder): RawBuilder<boolean> {
  return "recipientId" in holder
    ? sql`recipient_id = ${holder.recipientId}`
    : sql`address_hmac = ${holder.addressHmac}`;
}

export async function loadCodes(
  reader: Reader,
  holder: CodeHolder,
): Promise<readonly StoredCode[]> {
  const { rows } = await sql<{
    codes: readonly CodeJson[];
  }>`select ${codesWhere(isOf(holder))} as codes`.execute(reader);
  return (rows[0]?.codes ?? []).map(readCode);
}

/** Facts that decide the next step. `link`: the messages that brought it. */
export type GuestFacts = {
  readonly act: FoundAct | null;
  readonly codes: readonly StoredCode[];
  readonly link: readonly Way[];
  readonly awaitsOpening: boolean;
  readonly signsInAccount: boolean;
  readonly sessions: readonly GuestSession[];
};

export type FactsJson = {
  readonly act: {
    readonly id: string;
    readonly sealed: boolean;
    readonly body: string | null;
  } | null;
  readonly codes: readonly CodeJson[];
  readonly link: readonly Way[];
  readonly awaits_opening: boolean;
  readonly in_account: boolean;
  readonly sessions: readonly {
    readonly token: string;
    readonly documents: string;
    readonly code_id: string;
    readonly expires_at: string;
  }[];
};

export type FactsKey = {
  readonly linkSha256: Uint8Array;
  readonly sessionTokens: readonly Uint8Array[];
  readonly now: Date;
};

/** SQL that gives what `readFacts` reads. */
export const guestFacts =
  ({ linkSha256, sessionTokens, now }: FactsKey): Facts<FactsJson> =>
  (recipient) =>
    sql`json_build_object(
    'act', (select json_build_object('id', id, 'sealed', sealed_at is not null, 'body', encode(body_sha256, 'hex'))
      from signing_acts where recipient_id = ${recipient}),
    'codes', ${codesWhere(sql`recipient_id = ${recipient}`)},
    'link', ${waysByLink(linkSha256)},
    'awaits_opening', ${awaitsOpening(linkSha256)},
    'in_account', ${signsInAccount(sql`(select email_key from recipients where id = ${recipient})`)},
    'sessions', coalesce((
      select json_agg(json_build_object('token', encode(token_sha256, 'hex'),
        'documents', encode(documents_sha256, 'hex'), 'code_id', code_id, 'expires_at', expires_at))
      from guest_sessions where token_sha256 = any(${sql.val([...sessionTokens])}::bytea[])
        and recipient_id = ${recipient} and expires_at > ${now}::timestamptz), '[]'))`;

export const guestFactsOf = (recipientId: string, key: FactsKey): RawBuilder<FactsJson> =>
  guestFacts(key)(sql`${recipientId}::uuid`);

export type Part<A> = RawBuilder<A>;

/** Adds what else the lock's statement reads. */
export function factsAlso<A>(
  guest: Part<FactsJson>,
  also: Part<A> | undefined,
): Part<{ readonly guest: FactsJson; readonly also: A }> {
  return sql`json_build_object('guest', ${guest}, 'also', ${also ?? sql`null`})`;
}

export function sealingFacts<E, L>(
  events: Part<E>,
  lists: Part<L>,
): Part<{ readonly events: E; readonly lists: L }> {
  return sql`json_build_object('events', ${events}, 'lists', ${lists})`;
}

export function readFacts(row: FactsJson, recipientId: string): GuestFacts {
  return {
    act: row.act && {
      id: row.act.id,
      sealed: row.act.sealed,
      bodySha256: row.act.body === null ? null : fromHex(row.act.body),
    },
    codes: row.codes.map(readCode),
    link: row.link,
    awaitsOpening: row.awaits_opening,
    signsInAccount: row.in_account,
    sessions: row.sessions.map((session) => ({
      tokenSha256: fromHex(session.token),
      recipientId,
      documentsSha256: fromHex(session.documents),
      codeId: session.code_id,
      expiresAt: new Date(session.expires_at),
    })),
  };
}

export type NewCode = {
  readonly id: string;
  readonly holder: CodeHolder;
  readonly codeHmac: Uint8Array;
  readonly channel: "email" | "sms";
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** `known`: the holder's codes; a live one is revoked. */
export function insertCode(
  code: NewCode,
  known: readonly Pick<StoredCode, "usedAt" | "killedAt">[],
): readonly (Write | null)[] {
  const isOneLive = known.some(({ usedAt, killedAt }) => usedAt === null && killedAt === null);
  const kill = build
    .updateTable("one_time_codes")
    .set({ killed_at: code.createdAt })
    .where(isOf(code.holder))
    .where("used_at", "is", null)
    .where("killed_at", "is", null);
  const row = {
    id: code.id,
    ...("recipientId" in code.holder
      ? { recipient_id: code.holder.recipientId }
      : { address_hmac: code.holder.addressHmac }),
    code_hmac: code.codeHmac,
    channel: code.channel,
    created_at: code.createdAt,
    expires_at: code.expiresAt,
  };
  return [
    isOneLive ? { into: ["one_time_codes"], statement: kill } : null,
    insertionOf({ into: "one_time_codes" }, [row]),
  ];
}

export function markCodeUsed(codeId: string, at: Date): Write {
  const statement = build
    .updateTable("one_time_codes")
    .set({ used_at: at })
    .where("id", "=", codeId);
  return { into: ["one_time_codes"], statement };
}

/** Counts a try of the holder and of the last code, which `killedAt` ends. */
export async function countWrongTry(
  trx: Transaction,
  holder: CodeHolder,
  code: { readonly id: string; readonly killedAt: Date | null } | null,
): Promise<void> {
  if ("recipientId" in holder)
    await trx
      .updateTable("recipients")
      .set((eb) => ({ wrong_tries: eb("wrong_tries", "+", 1) }))
      .where("id", "=", holder.recipientId)
      .execute();
  else
    await trx
      .updateTable("address_tries")
      .set((eb) => ({ wrong_tries: eb("wrong_tries", "+", 1) }))
      .where("address_hmac", "=", holder.addressHmac)
      .execute();
  if (code === null) return;
  await trx
    .updateTable("one_time_codes")
    .set((eb) => ({
      wrong_tries: eb("wrong_tries", "+", 1),
      ...(code.killedAt === null
        ? {}
        : { killed_at: eb.fn.coalesce("killed_at", eb.val(code.killedAt)) }),
    }))
    .where("id", "=", code.id)
    .execute();
}

/** Concurrent tries wait for each other. */
export async function lockAddressTries(
  trx: Transaction,
  addressHmac: Uint8Array,
  now: Date,
): Promise<number> {
  const row = await trx
    .insertInto("address_tries")
    .values({ address_hmac: addressHmac, last_try_at: now })
    .onConflict((conflict) => conflict.column("address_hmac").doUpdateSet({ last_try_at: now }))
    .returning("wrong_tries")
    .executeTakeFirstOrThrow();
  return row.wrong_tries;
}

export async function forgetAddressTries(trx: Transaction, addressHmac: Uint8Array): Promise<void> {
  await trx.deleteFrom("address_tries").where("address_hmac", "=", addressHmac).execute();
}

export async function removeOldAddressTries(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("address_tries").where("last_try_at", "<", before).execute();
}

export type GuestSession = {
  readonly tokenSha256: Uint8Array;
  readonly recipientId: string;
  readonly documentsSha256: Uint8Array;
  readonly codeId: string;
  readonly expiresAt: Date;
};

export function insertGuestSession(session: GuestSession, createdAt: Date): Write | null {
  return insertionOf({ into: "guest_sessions" }, [
    {
      token_sha256: session.tokenSha256,
      recipient_id: session.recipientId,
      documents_sha256: session.documentsSha256,
      code_id: session.codeId,
      created_at: createdAt,
      expires_at: session.expiresAt,
    },
  ]);
}

type NewEmbedding = {
  readonly ticket_sha256: Uint8Array;
  readonly recipient_id: string;
  readonly origin: string;
  readonly return_url: string | null;
  readonly expires_at: Date;
};

export const insertEmbedding = (embedding: NewEmbedding): Write | null =>
  insertionOf({ into: "embeddings" }, [embedding]);

type Ticket = { readonly envelopeId: string; readonly ticketSha256: Uint8Array };

type Spent = {
  readonly recipientId: string;
  readonly origin: string;
  readonly return_url: string | null;
  /** It went back to its sender or to a step before. */
  readonly isEarly: boolean;
};

/** Null once it is spent or too old. */
export async function spendEmbedding(
  reader: Reader,
  { envelopeId, ticketSha256, now }: Ticket & { readonly now: Date },
): Promise<Spent | null> {
  const { rows } = await sql<Spent>`
    update embeddings m set opened_at = ${now}::timestamptz
    from recipients r join envelopes e on e.id = r.envelope_id
    where m.ticket_sha256 = ${ticketSha256} and m.opened_at is null and m.expires_at > ${now}::timestamptz
      and r.id = m.recipient_id and r.envelope_id = ${envelopeId}::uuid
    returning r.id as "recipientId", m.origin, m.return_url,
      e.status in ('draft', 'sent', 'pending') and r.status in ('waiting', 'notified', 'viewed')
        and not r.awaited as "isEarly"
  `.execute(reader);
  return rows[0] ?? null;
}

export async function selectSite(
  reader: Reader,
  { envelopeId, ticketSha256 }: Ticket,
): Promise<string | null> {
  const { rows } = await sql<{ origin: string }>`
    select m.origin from embeddings m join recipients r on r.id = m.recipient_id
    where m.ticket_sha256 = ${ticketSha256} and r.envelope_id = ${envelopeId}::uuid
  `.execute(reader);
  return rows[0]?.origin ?? null;
}

export async function extendGuestSession(
  reader: Reader,
  tokenSha256: Uint8Array,
  expiresAt: Date,
): Promise<void> {
  await reader
    .updateTable("guest_sessions")
    .set({ expires_at: expiresAt })
    .where("token_sha256", "=", tokenSha256)
    .execute();
}

export async function removeEndedGuestSessions(reader: Reader, now: Date): Promise<void> {
  await reader.deleteFrom("guest_sessions").where("expires_at", "<=", now).execute();
  // A day longer: the frame of a spent address is told so.
  const before = new Date(now.getTime() - 86_400_000);
  await reader.deleteFrom("embeddings").where("expires_at", "<=", before).execute();
}

export async function removeOldCodes(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("one_time_codes").where("created_at", "<", before).execute();
}
