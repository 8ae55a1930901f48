-- Every registration waits on its own. The one whose link is opened becomes the account: an address
-- has one activated account.
create table users (
  id uuid primary key,
  username text not null,
  username_key text not null unique,
  email text not null,
  email_key text not null,
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
  updated_at timestamptz not null,
  -- An erased account keeps its id and its dates alone: envelopes, prints and acts refer to it.
  erased_at timestamptz,
  -- When a code sent to the number came back: until then no text goes there but codes.
  phone_verified_at timestamptz,
  -- Messages that are not urgent: not at night, or once a day.
  quiet_hours boolean not null default false,
  daily_summary boolean not null default false,
  -- When something mailed to the address came back from a person in its session: from then on the
  -- account acts as the recipient of that address. Activation is not enough: filters open links.
  address_confirmed_at timestamptz
);
-- Erased accounts are few, and searched every day for remains.
create index users_erased on users (id) where erased_at is not null;
create unique index users_email_activated on users (email_key) where activated_at is not null;
create index users_email on users (email_key);
create index users_avatar on users (avatar_sha256) where avatar_sha256 is not null;
create index users_pending on users (created_at) where activated_at is null;

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
  revoked_at timestamptz,
  -- How it was opened: the evidence of a signature says so.
  means text not null
    check (means in ('password', 'password_totp', 'recovery_code', 'passkey', 'provider')),
  -- A factor shown again for one signature, which takes it.
  confirmed_by text check (confirmed_by in ('passkey', 'totp')),
  confirmed_at timestamptz
);
create index sessions_expiry on sessions (expires_at);
create index sessions_user on sessions (user_id);

-- Tokens are stored hashed; a rotated refresh token stays, so that its reuse is detected.
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
create index account_tokens_expiry on account_tokens (expires_at);

-- Wrong passwords, counted before the password is verified: parallel tries cannot outrun the count.
create table login_failures (
  key text primary key,
  failures integer not null,
  window_start timestamptz not null,
  locked_until timestamptz
);
create index login_failures_window on login_failures (window_start);

-- The factors that a login asks for beside or instead of the password.
create table passkeys (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- Base64url: an assertion names it, and it is unique among all accounts (WebAuthn 7.1 step 26).
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id);

-- The secret is wrapped by the data key. A step is used once: last_step (RFC 6238 5.2).
create table totp_factors (
  user_id uuid primary key references users on delete cascade,
  secret_wrapped bytea not null,
  last_step bigint not null,
  created_at timestamptz not null
);

create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  code_hmac bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hmac)
);

-- A factor that a session is adding: the challenge of a passkey, the wrapped secret of an app; and
-- the challenge of a passkey that confirms a signature.
create table factor_setups (
  session_id uuid not null references sessions on delete cascade,
  kind text not null check (kind in ('passkey', 'totp', 'confirmation')),
  secret bytea not null,
  expires_at timestamptz not null,
  primary key (session_id, kind)
);
create index factor_setups_expiry on factor_setups (expires_at);

-- A browser between the first step of a login and its session. Without an account: only a passkey
-- will say whose login it is.
create table login_steps (
  token_sha256 bytea primary key,
  user_id uuid references users on delete cascade,
  remembered boolean not null,
  challenge bytea,
  expires_at timestamptz not null
);
create index login_steps_expiry on login_steps (expires_at);
create index login_steps_user on login_steps (user_id);

-- What a program sends as RFC 6750 has it. Its secret has 190 bits: a plain hash suffices.
create table api_keys (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  secret_sha256 bytea not null unique,
  name text not null,
  -- Its first characters, to recognise it by.
  hint text not null,
  scopes text[] not null,
  -- Addresses and ranges; none: from everywhere.
  addresses text[] not null,
  -- Sites that may show the signing page within theirs.
  origins text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  -- To the minute.
  last_used_at timestamptz
);
create index api_keys_user on api_keys (user_id);

-- Who vouches for people beside the service's own passwords and passkeys (OpenID Connect).
create table identity_providers (
  kind text primary key check (kind in ('oidc', 'proconnect')),
  issuer text not null,
  client_id text not null,
  client_secret_wrapped bytea not null,
  secret_saved_at timestamptz not null,
  -- Words of the login page's button.
  label text not null,
  -- The first login from these domains makes an account; none: only linked accounts sign in.
  domains text[] not null,
  arrival_role text not null check (arrival_role in ('member', 'reader')),
  role_claim text check (role_claim in ('groups', 'roles')),
  is_only_way boolean not null,
  -- When an administrator's trial of these values worked.
  tested_at timestamptz,
  -- A later trial that failed.
  trial_failed_at timestamptz,
  trial_failure text,
  version integer not null,
  check (not is_only_way or (tested_at is not null and cardinality(domains) > 0))
);

-- Matched by issuer and subject, never by address (OpenID Connect Core 1.0 5.7).
create table provider_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
create index provider_identities_user on provider_identities (user_id);

-- A browser that is away at a provider. Its state is used once.
create table provider_logins (
  state_sha256 bytea primary key,
  browser_sha256 bytea not null,
  kind text not null,
  is_trial boolean not null,
  expires_at timestamptz not null
);
create index provider_logins_expiry on provider_logins (expires_at);

-- Somebody whom a provider knows and no account does: who signs in next in this browser, with this
-- address, is linked.
create table provider_links (
  browser_sha256 bytea primary key,
  kind text not null,
  issuer text not null,
  subject text not null,
  email_key text not null,
  expires_at timestamptz not null
);
create index provider_links_expiry on provider_links (expires_at);

-- What a provider said at the login of a session, which ends with the provider's.
create table provider_sessions (
  session_id uuid primary key references sessions on delete cascade,
  kind text not null,
  issuer text not null,
  subject text not null,
  sid text,
  id_token_wrapped bytea not null,
  end_session_url text,
  -- When the provider asked who it is; null where it does not tell.
  authenticated_at timestamptz,
  vouched jsonb not null
);
create index provider_sessions_subject on provider_sessions (issuer, subject);

-- The one code that an account expects.
create table phone_codes (
  user_id uuid primary key references users on delete cascade,
  id uuid not null,
  phone_number text not null,
  code_hmac bytea not null,
  wrong_tries integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index phone_codes_expiry on phone_codes (expires_at);

-- The address that an account asked to have instead, until a link sent there comes back.
create table address_changes (
  user_id uuid primary key references users on delete cascade,
  token_sha256 bytea not null,
  email text not null,
  email_key text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index address_changes_expiry on address_changes (expires_at);

-- Invitations to register where registration is closed. The one of an owner is the address of the
-- first start. A mailed one is for its address alone; ended ones stay a month, so that their links
-- say why.
create table registration_invitations (
  id uuid primary key,
  token_sha256 bytea not null unique,
  -- The role in the host organisation; null: an account alone.
  role text check (role in ('owner', 'administrator', 'member', 'reader')),
  email text,
  email_key text,
  -- Null: the operator's command.
  invited_by uuid references users on delete set null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  withdrawn_at timestamptz
);
create index registration_invitations_by on registration_invitations (invited_by);
create unique index registration_invitations_open on registration_invitations (email_key)
  where accepted_at is null and withdrawn_at is null;

-- Bytes stored for each account, for its quota: stored-files.sql.
create table storage_changes (
  owner_id uuid not null,
  bytes bigint not null,
  -- The sum of the changes before.
  folded boolean not null default false
);
create index storage_changes_owner on storage_changes (owner_id) include (bytes);
create index storage_changes_new on storage_changes (owner_id) where not folded;
