import { type Kysely, sql } from "kysely";

/** Guest links, one-time codes, acts of consent, and the signatures that sealing makes of them. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table recipient_tokens (
      token_sha256 bytea primary key,
      recipient_id uuid not null references recipients on delete cascade,
      created_at timestamptz not null,
      revoked_at timestamptz
    );
    create index recipient_tokens_recipient on recipient_tokens (recipient_id);

    create table one_time_codes (
      id uuid primary key,
      recipient_id uuid not null references recipients on delete cascade,
      code_hmac bytea not null,
      channel text not null check (channel in ('email', 'sms')),
      created_at timestamptz not null,
      expires_at timestamptz not null,
      wrong_tries integer not null default 0,
      used_at timestamptz,
      killed_at timestamptz
    );
    create index one_time_codes_recipient on one_time_codes (recipient_id, created_at desc);
    create unique index one_time_codes_live on one_time_codes (recipient_id) where used_at is null and killed_at is null;
    -- wrong tries since the sender's last reminder: 20 freeze the link (security line 37)
    alter table recipients add column wrong_tries integer not null default 0;

    create table guest_sessions (
      token_sha256 bytea primary key,
      recipient_id uuid not null references recipients on delete cascade,
      -- SHA-256 over the hashes of the documents that were shown
      documents_sha256 bytea not null,
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    create index guest_sessions_recipient on guest_sessions (recipient_id);

    -- The act of agreeing, committed before anything is sealed. One per recipient.
    create table signing_acts (
      id uuid primary key,
      envelope_id uuid not null references envelopes on delete cascade,
      recipient_id uuid not null unique references recipients on delete cascade,
      user_id uuid references users,
      method text not null check (method in ('guest', 'authenticated', 'hsm', 'self', 'bulk')),
      consent_version text not null,
      documents_sha256 bytea not null,
      -- {fields: [{id, value}], signature: mark}; emptied once sealed
      content jsonb,
      ip_address text,
      user_agent text,
      signed_at timestamptz not null,
      sealed_at timestamptz,
      failed_tries integer not null default 0,
      last_failure text
    );
    create index signing_acts_unsealed on signing_acts (signed_at) where sealed_at is null;
    create index signing_acts_envelope on signing_acts (envelope_id);

    create table signatures (
      id uuid primary key,
      envelope_id uuid not null references envelopes,
      document_id uuid not null,
      recipient_id uuid,
      act_id uuid,
      revision integer not null,
      signer_name text not null,
      level text not null,
      certificate_der bytea not null,
      serial_number text not null,
      signed_at timestamptz not null,
      unique (document_id, recipient_id)
    );
    create index signatures_envelope on signatures (envelope_id);
  `.execute(db);
}
