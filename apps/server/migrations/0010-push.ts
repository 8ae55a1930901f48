import { type Kysely, sql } from "kysely";

/** Web Push: the service's key, the browsers that subscribed, and which of them took which message. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    -- One key for the whole service (RFC 8292): subscriptions are bound to it.
    create table vapid_keys (
      id smallint primary key check (id = 1),
      public_key bytea not null,
      private_key_wrapped bytea not null,
      created_at timestamptz not null
    );

    create table push_subscriptions (
      id uuid primary key,
      user_id uuid not null references users on delete cascade,
      -- the session it was asked for in; null once that session is forgotten
      session_id uuid references sessions on delete set null,
      -- one browser is one endpoint: the last account that subscribed in it has it
      endpoint text not null unique,
      public_key bytea not null,
      auth_secret_wrapped bytea not null,
      created_at timestamptz not null
    );
    create index push_subscriptions_user on push_subscriptions (user_id, created_at);
    create index push_subscriptions_session on push_subscriptions (session_id);

    -- A message that one browser took and another put off is tried again for the other alone.
    create table push_receipts (
      notice_id uuid not null references notices on delete cascade,
      subscription_id uuid not null references push_subscriptions on delete cascade,
      primary key (notice_id, subscription_id)
    );
    create index push_receipts_subscription on push_receipts (subscription_id);

    -- A session that is ended (logout, revocation, new password) takes its browser's subscription with it, whichever code ends it:
    -- a browser that is no longer trusted is told nothing more. Those of forgotten sessions go too: whose they are is no longer known.
    create function forget_push_subscriptions() returns trigger language plpgsql as $$
    begin
      delete from push_subscriptions where user_id = new.user_id and (session_id = new.id or session_id is null);
      return null;
    end $$;
    create trigger sessions_forget_push after update of revoked_at on sessions
      for each row when (old.revoked_at is null and new.revoked_at is not null) execute function forget_push_subscriptions();
  `.execute(db);
}
