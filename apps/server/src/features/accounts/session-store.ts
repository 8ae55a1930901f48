import type { StandingDelegation } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { readSigningFor, signingFor } from "./delegations/delegation-store.ts";
import type { LoginFailures } from "./domain/limits.ts";
import { type Standing, standingOf } from "../organisations/public.ts";
import type { Vouched } from "./domain/provider-rules.ts";

type Session = {
  readonly id: string;
  readonly userId: string;
  readonly remembered: boolean;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
};

type SessionOwner = Standing & {
  readonly sessionId: string;
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly emailKey: string;
  readonly isAddressConfirmed: boolean;
  readonly firstName: string;
  readonly lastName: string;
  readonly provider: ProviderWord | null;
  readonly delegations: readonly StandingDelegation[];
  readonly means: SessionMeans;
  readonly secondFactorBy: Date | null;
  readonly also: unknown;
};

/** SQL that the session's statement reads as well, before anything is checked. */
export type Also = RawBuilder<unknown> | undefined;

export type ConfirmedBy = "passkey" | "totp";
export type SessionMeans =
  | "password"
  | "password_totp"
  | "recovery_code"
  | "passkey"
  | "provider"
  /** A key opens no session and signs nothing. */
  | "key";

/** Reads of the account "user" when it must add a factor; null where none is missing. */
export const SECOND_FACTOR_BY = sql<Date | null>`(
  select o.second_factor_by from organisations o
  join organisation_members m on m.organisation_id = o.id and m.user_id = "user".id
  where o.is_host and o.second_factor_by is not null
    and not exists (select from passkeys p where p.user_id = "user".id)
    and not exists (select from totp_factors t where t.user_id = "user".id))`;

const CONFIRMS_SIGNATURES = sql<boolean>`exists (
  select from organisations o
  join organisation_members m on m.organisation_id = o.id and m.user_id = "user".id
  where o.is_host and o.confirms_signatures)`;

export async function confirmsSignatures(reader: Reader, userId: string): Promise<boolean> {
  const row = await reader
    .selectFrom("users as user")
    .select(CONFIRMS_SIGNATURES.as("confirms"))
    .where("id", "=", userId)
    .executeTakeFirst();
  return row?.confirms === true;
}

/** Reads whether whoever confirmed this address confirms each signature. */
export const signsInAccount = (emailKey: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (
    select from users "user" where "user".email_key = ${emailKey}
      and "user".address_confirmed_at is not null and "user".deactivated_at is null
      and ${CONFIRMS_SIGNATURES})`;

export type ProviderWord = Vouched & { readonly issuer: string };

/** Locks the account against erasure; null once closed. */
export async function insertSession(
  trx: Transaction,
  session: Omit<Session, "revokedAt"> & {
    ip: string;
    userAgent: string;
    means: SessionMeans;
    now: Date;
  },
): Promise<boolean> {
  const account = await trx
    .selectFrom("users")
    .select("id")
    .where("id", "=", session.userId)
    .where("deactivated_at", "is", null)
    .forShare()
    .executeTakeFirst();
  if (account === undefined) return false;
  await trx
    .insertInto("sessions")
    .values({
      id: session.id,
      user_id: session.userId,
      remembered: session.remembered,
      ip_address: session.ip,
      user_agent: session.userAgent,
      means: session.means,
      created_at: session.now,
      last_used_at: session.now,
      expires_at: session.expiresAt,
    })
    .execute();
  return true;
}

export async function insertSessionTokens(
  trx: Transaction,
  tokens: readonly {
    sha256: Uint8Array;
    sessionId: string;
    kind: "access" | "refresh";
    now: Date;
    expiresAt: Date;
  }[],
): Promise<void> {
  await trx
    .insertInto("session_tokens")
    .values(
      tokens.map((token) => ({
        token_sha256: token.sha256,
        session_id: token.sessionId,
        kind: token.kind,
        created_at: token.now,
        expires_at: token.expiresAt,
      })),
    )
    .execute();
}

/** Gives the owner of a live session of an active account, else null. */
export async function findSessionOwner(
  reader: Reader,
  which: { accessSha256: Uint8Array; now: Date; also?: Also },
): Promise<SessionOwner | null> {
  const row = await reader
    .selectFrom("session_tokens as token")
    .innerJoin("sessions as session", "session.id", "token.session_id")
    .innerJoin("users as user", "user.id", "session.user_id")
    .leftJoin("provider_sessions as provider", "provider.session_id", "session.id")
    .select([
      "session.id as session_id",
      "provider.issuer",
      "provider.vouched",
      "user.id",
      "user.username",
      "user.email",
      "user.email_key",
      "user.address_confirmed_at",
      "user.first_name",
      "user.last_name",
      signingFor(sql.ref("user.id"), which.now).as("delegations"),
      "session.means",
      // The provider's own second factor stands for the account's, in its sessions alone.
      sql<Date | null>`case when session.means <> 'provider' then ${SECOND_FACTOR_BY} end`.as(
        "second_factor_by",
      ),
      ...standingOf(sql.ref("user.id")),
      (which.also ?? sql`null`).as("also"),
    ])
    .where("token.token_sha256", "=", which.accessSha256)
    .where("token.kind", "=", "access")
    .where("token.expires_at", ">", which.now)
    .where("session.revoked_at", "is", null)
    .where("session.expires_at", ">", which.now)
    .where("user.activated_at", "is not", null)
    .where("user.deactivated_at", "is", null)
    .executeTakeFirst();
  if (!row) return null;
  return {
    sessionId: row.session_id,
    id: row.id,
    username: row.username,
    email: row.email,
    emailKey: row.email_key,
    isAddressConfirmed: row.address_confirmed_at !== null,
    firstName: row.first_name,
    lastName: row.last_name,
    role: row.role,
    teams: row.teams,
    provider: row.issuer === null ? null : { ...(row.vouched as Vouched), issuer: row.issuer },
    delegations: readSigningFor(row.delegations, which.now),
    means: row.means as SessionMeans,
    secondFactorBy: row.second_factor_by,
    also: row.also,
  };
}

/** Locks session and account too: parallel refreshes take turns. */
export async function lockRefreshToken(
  trx: Transaction,
  refreshSha256: Uint8Array,
): Promise<{
  readonly session: Session;
  readonly accountOpen: boolean;
  readonly expiresAt: Date;
  readonly rotatedAt: Date | null;
} | null> {
  const known = await trx
    .selectFrom("session_tokens")
    .select("session_id")
    .where("token_sha256", "=", refreshSha256)
    .where("kind", "=", "refresh")
    .executeTakeFirst();
  if (!known) return null;
  const session = await trx
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select([
      "sessions.id",
      "sessions.user_id",
      "sessions.remembered",
      "sessions.expires_at",
      "sessions.revoked_at",
      "users.deactivated_at",
    ])
    .where("sessions.id", "=", known.session_id)
    .forUpdate("sessions")
    .executeTakeFirstOrThrow();
  const token = await trx
    .selectFrom("session_tokens")
    .select(["expires_at", "rotated_at"])
    .where("token_sha256", "=", refreshSha256)
    .executeTakeFirstOrThrow();
  return {
    session: {
      id: session.id,
      userId: session.user_id,
      remembered: session.remembered,
      expiresAt: session.expires_at,
      revokedAt: session.revoked_at,
    },
    accountOpen: session.deactivated_at === null,
    expiresAt: token.expires_at,
    rotatedAt: token.rotated_at,
  };
}

export async function rotateRefreshToken(
  trx: Transaction,
  rotation: { refreshSha256: Uint8Array; sessionId: string; now: Date },
): Promise<void> {
  await trx
    .updateTable("session_tokens")
    .set({ rotated_at: rotation.now })
    .where("token_sha256", "=", rotation.refreshSha256)
    .where("rotated_at", "is", null)
    .execute();
  await trx
    .updateTable("sessions")
    .set({ last_used_at: rotation.now })
    .where("id", "=", rotation.sessionId)
    .execute();
}

export async function revokeSession(
  reader: Reader,
  end: { sessionId: string; now: Date },
): Promise<void> {
  await reader
    .updateTable("sessions")
    .set({ revoked_at: end.now })
    .where("id", "=", end.sessionId)
    .where("revoked_at", "is", null)
    .execute();
}

const couldBeUsed = (
  now: Date,
) => sql<boolean>`(sessions.revoked_at is null and sessions.expires_at > ${now} and exists (
  select from session_tokens t where t.session_id = sessions.id and t.expires_at > ${now} and t.rotated_at is null))`;

type LiveSession = {
  readonly id: string;
  readonly remembered: boolean;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
};

export async function selectLiveSessions(
  reader: Reader,
  of: { userId: string; now: Date },
): Promise<readonly LiveSession[]> {
  const rows = await reader
    .selectFrom("sessions")
    .select(["id", "remembered", "ip_address", "user_agent", "created_at", "last_used_at"])
    .where("user_id", "=", of.userId)
    .where(couldBeUsed(of.now))
    .orderBy("last_used_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    remembered: row.remembered,
    ip: row.ip_address,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));
}

export async function selectLivingSessions(
  reader: Reader,
  of: { ids: readonly string[]; now: Date },
): Promise<readonly { readonly id: string; readonly addresses: readonly string[] }[]> {
  if (of.ids.length === 0) return [];
  return reader
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select(["sessions.id", sql<string[]>`'{}'::text[]`.as("addresses")])
    .where("sessions.id", "in", of.ids)
    .where("users.deactivated_at", "is", null)
    .where(couldBeUsed(of.now))
    .union(
      reader
        .selectFrom("api_keys")
        .innerJoin("users", "users.id", "api_keys.user_id")
        .select(["api_keys.id", "api_keys.addresses"])
        .where("api_keys.id", "in", of.ids)
        .where((where) =>
          where.or([
            where("users.deactivated_at", "is", null),
            where("api_keys.holder_id", "<>", where.ref("api_keys.user_id")),
          ]),
        )
        .where(sql<boolean>`'envelopes:read' = any(api_keys.scopes)`)
        .where((where) =>
          where.or([
            where("api_keys.expires_at", "is", null),
            where("api_keys.expires_at", ">", of.now),
          ]),
        ),
    )
    .execute();
}

/** The sign-in at a provider may be long before the session. */
export async function loadSignIn(reader: Reader, sessionId: string): Promise<Date | null> {
  const row = await reader
    .selectFrom("sessions as session")
    .leftJoin("provider_sessions as provider", "provider.session_id", "session.id")
    .select((eb) =>
      eb.fn<Date>("least", ["session.created_at", "provider.authenticated_at"]).as("at"),
    )
    .where("session.id", "=", sessionId)
    .executeTakeFirst();
  return row?.at ?? null;
}

export async function revokeOwnSession(
  reader: Reader,
  end: { userId: string; sessionId: string; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await reader
    .updateTable("sessions")
    .set({ revoked_at: end.now })
    .where("id", "=", end.sessionId)
    .where("user_id", "=", end.userId)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", end.now)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function revokeSessionsOf(
  reader: Reader,
  end: { tokens: readonly Uint8Array[]; now: Date },
): Promise<void> {
  if (end.tokens.length === 0) return;
  await reader
    .updateTable("sessions")
    .set({ revoked_at: end.now })
    .where("revoked_at", "is", null)
    .where("id", "in", (eb) =>
      eb.selectFrom("session_tokens").select("session_id").where("token_sha256", "in", end.tokens),
    )
    .execute();
}

export async function revokeSessionsOfUser(
  trx: Transaction,
  end: { userId: string; exceptSessionId: string | null; now: Date },
): Promise<void> {
  await trx
    .updateTable("sessions")
    .set({ revoked_at: end.now })
    .where("user_id", "=", end.userId)
    .where("revoked_at", "is", null)
    .$if(end.exceptSessionId !== null, (query) =>
      query.where("id", "!=", end.exceptSessionId ?? ""),
    )
    .execute();
}

export async function deleteSessionsOf(reader: Reader, userId: string): Promise<void> {
  await reader.deleteFrom("sessions").where("user_id", "=", userId).execute();
}

/** Rotated tokens stay, so that reuse is detected. */
export async function deleteEndedSessions(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("session_tokens").where("expires_at", "<", before).execute();
  await reader.deleteFrom("sessions").where("expires_at", "<", before).execute();
}

export async function lockFailures(
  trx: Transaction,
  start: { key: string; now: Date },
): Promise<LoginFailures> {
  // One statement: the row may be forgotten at any moment by a try that succeeds.
  const row = await trx
    .insertInto("login_failures")
    .values({ key: start.key, failures: 0, window_start: start.now })
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet((eb) => ({ key: eb.ref("excluded.key") })),
    )
    .returning(["failures", "window_start", "locked_until"])
    .executeTakeFirstOrThrow();
  return { failures: row.failures, windowStart: row.window_start, lockedUntil: row.locked_until };
}

export async function saveFailures(
  trx: Transaction,
  state: LoginFailures & { key: string },
): Promise<void> {
  await trx
    .updateTable("login_failures")
    .set({
      failures: state.failures,
      window_start: state.windowStart,
      locked_until: state.lockedUntil,
    })
    .where("key", "=", state.key)
    .execute();
}

export async function forgetFailures(reader: Reader, key: string): Promise<void> {
  await reader.deleteFrom("login_failures").where("key", "=", key).execute();
}

export async function takeBackTry(reader: Reader, key: string): Promise<void> {
  await reader
    .updateTable("login_failures")
    .set((eb) => ({
      failures: eb.fn("greatest", [eb("failures", "-", 1), eb.lit(0)]),
      locked_until: null,
    }))
    .where("key", "=", key)
    .execute();
}

export async function deleteOldFailures(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("login_failures").where("window_start", "<", before).execute();
}
