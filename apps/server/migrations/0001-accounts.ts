import { type Kysely, sql } from "kysely";

/** Accounts, their sessions, their single-use links, and the throttle every feature shares. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table users (
      id uuid primary key,
      username text not null,
      username_key text not null unique,
      email text not null,
      email_key text not null unique,
      password_hash text not null,
      first_name text not null default '',
      last_name text not null default '',
      birth_date date,
      phone_number text,
      gender text not null default '',
      address text,
      avatar_sha256 bytea,
      notify_email boolean not null default true,
      notify_sms boolean not null default false,
      notify_push boolean not null default false,
      activated_at timestamptz,
      deactivated_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null
    );

    -- One row per signed-in browser: the family of its refresh tokens.
    create table sessions (
      id uuid primary key,
      user_id uuid not null references users on delete cascade,
      remembered boolean not null,
      ip_address text,
      user_agent text,
      created_at timestamptz not null,
      last_used_at timestamptz not null,
      expires_at timestamptz not null,
      revoked_at timestamptz
    );
    create index sessions_user on sessions (user_id) where revoked_at is null;

    -- Tokens are stored hashed; a rotated refresh token stays, so that its reuse is seen.
    create table session_tokens (
      token_sha256 bytea primary key,
      session_id uuid not null references sessions on delete cascade,
      kind text not null check (kind in ('access', 'refresh')),
      created_at timestamptz not null,
      expires_at timestamptz not null,
      rotated_at timestamptz
    );
    create index session_tokens_session on session_tokens (session_id);
    create index session_tokens_expiry on session_tokens (expires_at);

    create table account_tokens (
      token_sha256 bytea primary key,
      user_id uuid not null references users on delete cascade,
      purpose text not null check (purpose in ('activation', 'reset')),
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz
    );
    create index account_tokens_user on account_tokens (user_id, purpose);

    -- Wrong passwords, counted before the password is looked at, so that parallel tries cannot outrun the count.
    create table login_failures (
      key text primary key,
      failures integer not null,
      window_start timestamptz not null,
      locked_until timestamptz
    );
    create index login_failures_window on login_failures (window_start);

    -- A name asked for with an e-mail that already has an account stays taken as long as a pending account's would:
    -- otherwise asking for it twice would tell whether the e-mail is known.
    create table username_holds (
      username_key text primary key,
      held_until timestamptz not null
    );

    -- Fixed windows, counted here so that every process shares them.
    create table throttles (
      key text not null,
      window_start timestamptz not null,
      hits integer not null,
      primary key (key, window_start)
    );
    create index throttles_window on throttles (window_start);

    create table idempotency_keys (
      scope text not null,
      key text not null,
      request_sha256 bytea not null,
      status integer,
      body jsonb,
      created_at timestamptz not null,
      primary key (scope, key)
    );
    create index idempotency_keys_age on idempotency_keys (created_at);
  `.execute(db);
}
