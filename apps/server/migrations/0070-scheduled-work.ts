import { type Kysely, sql } from "kysely";

/** What scheduled work looks for is found in an index, whatever was kept; what it takes is taken for some seconds, in no transaction. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    -- The nightly sweep asks of each stored file whether a row names it.
    create index documents_upload on documents (uploaded_sha256);
    create index users_avatar on users (avatar_sha256) where avatar_sha256 is not null;
    create index batch_items_signed on batch_items (signed_sha256) where signed_sha256 is not null;

    -- What has ended, by when it did.
    create index users_pending on users (created_at) where activated_at is null;
    create index sessions_expiry on sessions (expires_at);
    create index account_tokens_expiry on account_tokens (expires_at);
    create index guest_sessions_expiry on guest_sessions (expires_at);
    create index one_time_codes_age on one_time_codes (created_at);
    create index notices_farewell on notices (created_at) where kind = 'account_erased' and state <> 'queued';
    create index notices_account on notices (created_at) where envelope_id is null and state <> 'queued';

    -- Before an abandoned account goes, whatever refers to accounts is asked for it.
    create index envelopes_owner_id on envelopes (owner_id);
    drop index sessions_user;
    create index sessions_user on sessions (user_id);
    create index signing_acts_user on signing_acts (user_id) where user_id is not null;

    -- A file of a batch that is being signed: until then nobody else takes it, unless whoever did has died.
    alter table batch_items add column taken_until timestamptz;
  `.execute(db);
}
