import { type Kysely, sql } from "kysely";

/** The outbox: one row per message and person; and the local mailbox that stands for SMTP and SMS on a developer's machine. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table notices (
      id uuid primary key,
      -- the same event for the same person is one message
      dedupe_key text not null unique,
      kind text not null,
      channel text not null check (channel in ('email', 'sms', 'push')),
      destination text not null,
      message_id text not null,
      envelope_id uuid,
      recipient_id uuid,
      user_id uuid,
      -- what the template needs; emptied once sent, because it may hold a link or a code
      content_wrapped bytea,
      state text not null check (state in ('queued', 'sent', 'refused')),
      tries integer not null default 0,
      server_answer text,
      created_at timestamptz not null,
      sent_at timestamptz
    );
    create index notices_envelope on notices (envelope_id, created_at);
    create index notices_queued on notices (created_at) where state = 'queued';

    create table mailbox_messages (
      id uuid primary key,
      channel text not null,
      destination text not null,
      subject text not null,
      content text not null,
      received_at timestamptz not null
    );
    create index mailbox_messages_received on mailbox_messages (received_at desc);
  `.execute(db);
}
