import { type Kysely, sql } from "kysely";

/** What makes signatures prove themselves for the long term (EN 319 142-1, levels B-LT and B-LTA). */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    -- A signer's certificate lives a day: what was said of it when it signed is kept with the signature.
    alter table signatures
      add column ocsp_der bytea,
      add column crl_issuer_id uuid,
      add column crl_number bigint,
      add constraint signatures_crl foreign key (crl_issuer_id, crl_number) references crls;

    -- The last document time-stamp of each completed document, and when it is to be followed by another.
    create table document_archives (
      document_id uuid primary key references documents on delete cascade,
      revision integer not null,
      -- serial number of the time-stamping authority's certificate, lower-case hexadecimal
      authority_serial text not null,
      stamped_at timestamptz not null,
      valid_until timestamptz not null,
      renew_at timestamptz not null
    );
    create index document_archives_due on document_archives (renew_at);
    create index document_archives_authority on document_archives (authority_serial);

    -- The organisation's seal whose key is in a PKCS#11 token: its certificate alone is here.
    alter table authority_keys drop constraint authority_keys_purpose_check;
    alter table authority_keys add constraint authority_keys_purpose_check check (purpose in ('root', 'ca', 'tsa', 'ocsp', 'seal', 'hsm'));
  `.execute(db);
}
