import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { actingFacts, commit, type Decision } from "./commit.ts";
import type { Delegate, EnvelopeRecipient } from "./domain/envelope.ts";
import { lockEnvelope } from "./store.ts";
import { updateViewed } from "./recipient-store.ts";

export type View = {
  readonly envelopeId: string;
  readonly recipientId: string;
  readonly client: { readonly ip: string; readonly userAgent: string };
  readonly delegate?: Delegate | undefined;
};

/** Only a first look writes. */
export async function recordView(platform: Platform, view: View): Promise<void> {
  await inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, view.envelopeId);
    const recipient = aggregate?.recipients.find((candidate) => candidate.id === view.recipientId);
    if (aggregate !== null && recipient?.viewedAt === null)
      await commit(trx, platform, {
        about: aggregate,
        ...decideView(platform, { ...view, recipient }),
      });
  });
}

/** Checked under the envelope's lock. */
export function decideView(
  platform: Pick<Platform, "clock">,
  {
    envelopeId,
    recipient,
    client,
    delegate,
  }: Omit<View, "recipientId"> & { readonly recipient: EnvelopeRecipient },
): Decision {
  const { ip, userAgent } = client;
  const { id } = recipient;
  const { name, ...facts } = actingFacts(recipient, delegate);
  const now = platform.clock();
  return {
    writes: [updateViewed({ recipientId: id, now })],
    events: [
      {
        envelopeId,
        action: "recipient_viewed",
        actor: { kind: "recipient", id, name, ip, userAgent },
        ...facts,
      },
    ],
  };
}
