import type { Delivery } from "@paraphe/contracts";
import type { Reader } from "../../platform/database/database.ts";
import type { Reading } from "../../platform/metrics/metrics.ts";
import type { Platform } from "../../platform/platform.ts";
import { deliveryFailure, isServersAnswer } from "./domain/delivery-failure.ts";
import { type NoticeRow, selectDeliveries } from "./store.ts";
import { selectOutbox } from "./waiting-store.ts";

/** Due and unsent: how many, since when. */
export async function readOutbox({
  db,
  clock,
}: Pick<Platform, "db" | "clock">): Promise<readonly Reading[]> {
  const waiting = await selectOutbox(db, clock());
  return [
    {
      name: "paraphe_messages_waiting",
      help: "Messages that are due and have not left.",
      values: waiting.map(({ channel, count }) => ({ labels: { channel }, value: count })),
    },
    {
      name: "paraphe_message_oldest_seconds",
      help: "How long the oldest of them has been due.",
      values: waiting.map(({ channel, oldestS }) => ({ labels: { channel }, value: oldestS })),
    },
  ];
}

/** A day's codes, and requests. */
const PER_RECIPIENT = 10;

/** The last of each recipient. */
export async function loadDeliveries(
  reader: Reader,
  envelopeId: string,
): Promise<ReadonlyMap<string, readonly Delivery[]>> {
  const deliveries = new Map<string, Delivery[]>();
  for (const row of await selectDeliveries(reader, { envelopeId, perRecipient: PER_RECIPIENT })) {
    const recipientId = row.recipientId as string;
    const list = deliveries.get(recipientId) ?? [];
    list.push(presentDelivery(row));
    deliveries.set(recipientId, list);
  }
  return deliveries;
}

function presentDelivery(row: NoticeRow): Delivery {
  const failure = deliveryFailure(row);
  return {
    id: row.id,
    kind: row.kind,
    channel: row.channel,
    destination: row.destination,
    state: row.state,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    opened_at: row.openedAt?.toISOString() ?? null,
    tries: row.tries,
    server_answer: isServersAnswer(failure) ? row.serverAnswer : null,
    failure,
  };
}
