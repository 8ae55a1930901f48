import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { together } from "../../platform/database/together.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent } from "../journal/public.ts";
import type { EnvelopeRecipient } from "./domain/envelope.ts";
import { lockEnvelope } from "./load-envelope.ts";
import { updateViewed } from "./recipient-store.ts";

export type View = {
  readonly envelopeId: string;
  readonly recipientId: string;
  readonly client: { readonly ip: string; readonly userAgent: string };
};

/** Notes a recipient's first look at the documents, once: later ones write nothing. */
export async function recordView(platform: Platform, view: View): Promise<void> {
  await inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, view.envelopeId);
    const recipient = aggregate?.recipients.find((candidate) => candidate.id === view.recipientId);
    if (recipient?.viewedAt === null) await noteView(trx, platform, { ...view, recipient });
  });
}

/** Notes the first look of a recipient who, as read under the envelope's lock, had none yet. */
export async function noteView(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "random">,
  {
    envelopeId,
    recipient,
    client,
  }: Omit<View, "recipientId"> & { readonly recipient: EnvelopeRecipient },
): Promise<void> {
  const { ip, userAgent } = client;
  await together([
    updateViewed(trx, { recipientId: recipient.id, now: platform.clock() }),
    appendEvent(trx, platform, {
      envelopeId,
      action: "recipient_viewed",
      actor: { kind: "recipient", id: recipient.id, name: recipient.fullName, ip, userAgent },
    }),
  ]);
}
