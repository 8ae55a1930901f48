import { type Kysely, sql } from "kysely";

/** A subscription to push messages lives as long as its session, however that ends; and what reads or forgets a person's messages has an index. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    -- Of a session that was forgotten: whose browser it is can no longer be said.
    delete from push_subscriptions where session_id is null;
    alter table push_subscriptions
      alter column session_id set not null,
      drop constraint push_subscriptions_session_id_fkey,
      add constraint push_subscriptions_session_id_fkey foreign key (session_id) references sessions on delete cascade;
    create or replace function forget_push_subscriptions() returns trigger language plpgsql as $$
    begin
      delete from push_subscriptions where session_id = new.id;
      return null;
    end $$;

    create index notices_user on notices (user_id, id) where user_id is not null;
    create index notices_address on notices (lower(destination), id) where channel <> 'sms';
    -- few: accounts that were erased, looked at every day for what was left of them
    create index users_erased on users (id) where erased_at is not null;
  `.execute(db);
}
