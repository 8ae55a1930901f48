import type { Reader, Transaction } from "../../platform/database/database.ts";
import { inParallel } from "../../platform/database/in-transaction.ts";
import { type RawBuilder, sql } from "kysely";
import type { SentCode } from "./domain/codes.ts";

/** Codes count by recipient, or by the keyed hash of an account's address. */
export type CodeHolder = { readonly recipientId: string } | { readonly addressHmac: Uint8Array };

export type StoredCode = SentCode & {
  readonly id: string;
  readonly channel: "email" | "sms";
  readonly codeHmac: Uint8Array;
};

export async function loadCodeTimes(
  reader: Reader,
  holder: CodeHolder,
  since: Date,
): Promise<readonly Date[]> {
  const rows = await reader
    .selectFrom("one_time_codes")
    .select("created_at")
    .where(isOf(holder))
    .where("created_at", ">", since)
    .orderBy("created_at", "desc")
    .execute();
  return rows.map((row) => row.created_at);
}

export async function loadLatestCode(
  reader: Reader,
  holder: CodeHolder,
): Promise<StoredCode | null> {
  const row = await reader
    .selectFrom("one_time_codes")
    .select(["id", "channel", "code_hmac", "expires_at", "used_at", "killed_at", "wrong_tries"])
    .where(isOf(holder))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.id,
    channel: row.channel === "sms" ? "sms" : "email",
    codeHmac: row.code_hmac,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
    killedAt: row.killed_at,
    wrongTries: row.wrong_tries,
  };
}

function isOf(holder: CodeHolder): RawBuilder<boolean> {
  return "recipientId" in holder
    ? sql`recipient_id = ${holder.recipientId}`
    : sql`address_hmac = ${holder.addressHmac}`;
}

export type NewCode = {
  readonly id: string;
  readonly holder: CodeHolder;
  readonly codeHmac: Uint8Array;
  readonly channel: "email" | "sms";
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** Also revokes the live code. */
export async function insertCode(trx: Transaction, code: NewCode): Promise<void> {
  const kill = trx
    .updateTable("one_time_codes")
    .set({ killed_at: code.createdAt })
    .where(isOf(code.holder))
    .where("used_at", "is", null)
    .where("killed_at", "is", null)
    .execute();
  const insert = trx
    .insertInto("one_time_codes")
    .values({
      id: code.id,
      ...("recipientId" in code.holder
        ? { recipient_id: code.holder.recipientId }
        : { address_hmac: code.holder.addressHmac }),
      code_hmac: code.codeHmac,
      channel: code.channel,
      created_at: code.createdAt,
      expires_at: code.expiresAt,
    })
    .execute();
  await inParallel([kill, insert]);
}

export async function markCodeUsed(trx: Transaction, codeId: string, at: Date): Promise<void> {
  await trx.updateTable("one_time_codes").set({ used_at: at }).where("id", "=", codeId).execute();
}

/** Counts on the holder and on the last code; `killedAt` ends that code. */
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

/** Locks the row, so that concurrent tries wait for each other. */
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

export async function insertGuestSession(
  trx: Transaction,
  session: GuestSession,
  createdAt: Date,
): Promise<void> {
  await trx
    .insertInto("guest_sessions")
    .values({
      token_sha256: session.tokenSha256,
      recipient_id: session.recipientId,
      documents_sha256: session.documentsSha256,
      code_id: session.codeId,
      created_at: createdAt,
      expires_at: session.expiresAt,
    })
    .execute();
}

export async function findGuestSession(
  reader: Reader,
  key: { readonly tokenSha256: Uint8Array; readonly recipientId: string; readonly now: Date },
): Promise<GuestSession | null> {
  const row = await reader
    .selectFrom("guest_sessions")
    .select(["token_sha256", "recipient_id", "documents_sha256", "code_id", "expires_at"])
    .where("token_sha256", "=", key.tokenSha256)
    .where("recipient_id", "=", key.recipientId)
    .where("expires_at", ">", key.now)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    tokenSha256: row.token_sha256,
    recipientId: row.recipient_id,
    documentsSha256: row.documents_sha256,
    codeId: row.code_id,
    expiresAt: row.expires_at,
  };
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
}

export async function removeOldCodes(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("one_time_codes").where("created_at", "<", before).execute();
}
