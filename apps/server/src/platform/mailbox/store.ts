import type { Database, Reader } from "../database/database.ts";

type MailboxContent = {
  readonly message_id: string | null;
  readonly from: string;
  readonly to: string;
  readonly reply_to: string | null;
  readonly text: string;
  readonly html: string | null;
  readonly attachments: readonly {
    readonly name: string;
    readonly content_type: string;
    readonly size: number;
  }[];
};

export type MailboxMessage = {
  readonly id: string;
  readonly channel: string;
  readonly destination: string;
  readonly subject: string;
  readonly content: MailboxContent;
  readonly receivedAt: Date;
};

const COLUMNS = ["id", "channel", "destination", "subject", "content", "received_at"] as const;

export async function insertMailboxMessage(db: Database, message: MailboxMessage): Promise<void> {
  await db
    .insertInto("mailbox_messages")
    .values({
      id: message.id,
      channel: message.channel,
      destination: message.destination,
      subject: message.subject,
      content: JSON.stringify(message.content),
      received_at: message.receivedAt,
    })
    .execute();
}

export async function listMailboxMessages(
  reader: Reader,
  which: { destination: string | null; channel?: string | null; limit: number },
): Promise<readonly MailboxMessage[]> {
  const rows = await reader
    .selectFrom("mailbox_messages")
    .select(COLUMNS)
    .$if(which.destination !== null, (query) =>
      query.where((eb) =>
        eb(eb.fn("lower", ["destination"]), "=", which.destination?.toLowerCase() ?? ""),
      ),
    )
    .$if(typeof which.channel === "string", (query) =>
      query.where("channel", "=", which.channel ?? ""),
    )
    .orderBy("received_at", "desc")
    .orderBy("id", "desc")
    .limit(which.limit)
    .execute();
  return rows.map(messageOf);
}

export async function countMailboxMessages(
  reader: Reader,
  destination: string | null,
): Promise<Readonly<Record<"email" | "sms" | "push", number>>> {
  const rows = await reader
    .selectFrom("mailbox_messages")
    .select((eb) => ["channel", eb.fn.countAll<number>().as("count")])
    .$if(destination !== null, (query) =>
      query.where((eb) =>
        eb(eb.fn("lower", ["destination"]), "=", destination?.toLowerCase() ?? ""),
      ),
    )
    .groupBy("channel")
    .execute();
  return {
    email: 0,
    sms: 0,
    push: 0,
    ...Object.fromEntries(rows.map((row) => [row.channel, Number(row.count)])),
  };
}

export async function sweepMailbox(db: Database, olderThan: Date): Promise<void> {
  await db.deleteFrom("mailbox_messages").where("received_at", "<", olderThan).execute();
}

export async function loadMailboxMessage(
  reader: Reader,
  id: string,
): Promise<MailboxMessage | null> {
  const row = await reader
    .selectFrom("mailbox_messages")
    .select(COLUMNS)
    .where("id", "=", id)
    .executeTakeFirst();
  return row ? messageOf(row) : null;
}

type RawRow = {
  id: string;
  channel: string;
  destination: string;
  subject: string;
  content: string;
  received_at: Date;
};

function messageOf(row: RawRow): MailboxMessage {
  return {
    id: row.id,
    channel: row.channel,
    destination: row.destination,
    subject: row.subject,
    content: JSON.parse(row.content) as MailboxContent,
    receivedAt: row.received_at,
  };
}
