import type { ApiKey, KeyChange, KeyScope, ProgramHolder } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Database, Reader, Transaction } from "../../../platform/database/database.ts";
import { type Standing, standingOf, teamsUnder } from "../../organisations/public.ts";
import { SECOND_FACTOR_BY } from "../session-store.ts";
import type { SessionUser } from "../sessions.ts";
import { behindOf, holderColumns, holderOf, isManagedBy, nameOf } from "./holder-store.ts";

/** A key's last use is stored once a minute. */
const USE_EVERY_MS = 60_000;

export type FoundKey = {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly addresses: readonly string[];
  readonly expiresAt: Date | null;
  readonly holder: ProgramHolder;
  readonly user: {
    readonly id: string;
    readonly username: string;
    readonly email: string;
    readonly emailKey: string;
    readonly firstName: string;
    readonly lastName: string;
    readonly secondFactorBy: Date | null;
  } & Standing;
};

/** Reads key, account and teams in one statement; null once revoked or closed. */
export async function findKey(
  db: Database,
  { sha256, now }: { readonly sha256: Uint8Array; readonly now: Date },
): Promise<FoundKey | null> {
  const row = await db
    .with("used", (used) =>
      used
        .updateTable("api_keys")
        .set({ last_used_at: now })
        .where("secret_sha256", "=", sha256)
        .where((where) =>
          where.or([
            where("last_used_at", "is", null),
            where("last_used_at", "<", new Date(now.getTime() - USE_EVERY_MS)),
          ]),
        ),
    )
    .selectFrom("api_keys as key")
    .innerJoin("users as user", (join) => join.on("user.id", "=", behindOf("key")))
    .select(["key.id as key_id", "key.name", "key.scopes", "key.addresses", "key.expires_at"])
    .select([holderOf("key").as("holder"), teamsUnder(sql.ref("key.holder_id")).as("held")])
    .select(["user.id", "user.username", "user.email", "user.email_key"])
    .select(["user.first_name", "user.last_name", ...standingOf(sql.ref("user.id"))])
    // Whoever signs in at a provider has its factor, as in sessions.
    .select(
      sql<Date | null>`case when not exists (
        select from provider_identities p where p.user_id = "user".id) then ${SECOND_FACTOR_BY} end`.as(
        "second_factor_by",
      ),
    )
    .where("key.secret_sha256", "=", sha256)
    .where("user.activated_at", "is not", null)
    .where("user.deactivated_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.key_id,
    name: row.name,
    scopes: row.scopes as KeyScope[],
    addresses: row.addresses,
    expiresAt: row.expires_at,
    holder: row.holder,
    user: {
      id: row.id,
      username: row.username,
      email: row.email,
      emailKey: row.email_key,
      firstName: row.first_name,
      lastName: row.last_name,
      secondFactorBy: row.second_factor_by,
      role: row.role,
      teams: row.holder.kind === "person" ? row.teams : row.held,
    },
  };
}

export async function selectKeys(
  reader: Reader,
  which: { readonly user: SessionUser; readonly id?: string },
): Promise<ApiKey[]> {
  const { id } = which;
  const rows = await reader
    .selectFrom("api_keys as key")
    .select(["id", "name", "hint", "scopes", "addresses", "origins"])
    .select(["created_at", "expires_at", "last_used_at"])
    .select([holderOf("key").as("holder"), nameOf(behindOf("key")).as("by")])
    .where(isManagedBy(which.user, "key"))
    .$if(id !== undefined, (query) => query.where("id", "=", id as string))
    .orderBy("id", "desc")
    .execute();
  return rows.map((row) => ({
    ...row,
    scopes: row.scopes as KeyScope[],
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }));
}

export async function countKeys(reader: Reader, holderId: string): Promise<number> {
  const row = await reader
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("holder_id", "=", holderId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

type NewKey = Pick<ApiKey, "id" | "name" | "hint" | "scopes" | "addresses" | "origins"> & {
  readonly holder: ProgramHolder;
  readonly userId: string;
  readonly sha256: Uint8Array;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
};

export async function insertKey(trx: Transaction, key: NewKey): Promise<void> {
  await trx
    .insertInto("api_keys")
    .values({
      id: key.id,
      user_id: key.userId,
      ...holderColumns(key.holder),
      secret_sha256: key.sha256,
      name: key.name,
      hint: key.hint,
      scopes: [...key.scopes],
      addresses: [...key.addresses],
      origins: [...key.origins],
      created_at: key.createdAt,
      expires_at: key.expiresAt,
    })
    .execute();
}

export async function updateKey(
  trx: Transaction,
  { id, ...change }: KeyChange & { readonly id: string },
): Promise<void> {
  await trx.updateTable("api_keys").set(change).where("id", "=", id).execute();
}

export async function deleteKey(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom("api_keys").where("id", "=", id).execute();
}

/** The keys that a leaver made for others. */
export async function passKeys(
  trx: Transaction,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await sql`
    update api_keys set user_id = ${to}::uuid
    where user_id = ${from}::uuid and holder_id <> user_id`.execute(trx);
}

/** Sites that its owner lets show the signing page. */
export async function selectOrigins(reader: Reader, keyId: string): Promise<readonly string[]> {
  const row = await reader
    .selectFrom("api_keys")
    .select("origins")
    .where("id", "=", keyId)
    .executeTakeFirst();
  return row?.origins ?? [];
}
