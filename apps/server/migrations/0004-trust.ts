import { type Kysely, sql } from "kysely";

/** Keys and certificates of the built-in PKI (signatures §2). Private keys are wrapped by MASTER_KEY; a signer's is never stored. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table authority_keys (
      id uuid primary key,
      purpose text not null check (purpose in ('root', 'ca', 'tsa', 'ocsp', 'seal')),
      issuer_id uuid references authority_keys,
      certificate_der bytea not null,
      private_key_wrapped bytea,
      created_at timestamptz not null,
      retired_at timestamptz
    );
    create unique index authority_keys_live on authority_keys (purpose) where retired_at is null;

    create table certificates (
      serial_number text primary key,
      issuer_id uuid not null references authority_keys,
      subject text not null,
      not_before timestamptz not null,
      not_after timestamptz not null,
      certificate_der bytea not null,
      revoked_at timestamptz,
      revocation_reason integer
    );
    create index certificates_revoked on certificates (issuer_id, revoked_at) where revoked_at is not null;

    create table crls (
      issuer_id uuid not null references authority_keys,
      number bigint not null,
      this_update timestamptz not null,
      next_update timestamptz not null,
      crl_der bytea not null,
      primary key (issuer_id, number)
    );

    create table service_secrets (
      name text primary key,
      secret_wrapped bytea not null,
      created_at timestamptz not null
    );
  `.execute(db);
}
