import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent } from "../journal/public.ts";
import { decideExtensionRequest } from "./domain/decide-extension.ts";
import type { EnvelopeRecipient } from "./domain/envelope.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { lockEnvelope } from "./lock-envelope.ts";
import { ownerLink } from "./notify-people.ts";
import { selectExtensionRequestedAt, updateExtensionRequested } from "./reminder-store.ts";
import { selectOwner } from "./store.ts";
import { tellPeople } from "./tell-people.ts";

/** Who asks was settled by the caller: a guest by the link, or a signed-in recipient. */
export type ExtensionRequest = {
  readonly envelopeId: string;
  readonly recipientId: string;
  readonly client: { readonly ip: string; readonly userAgent: string };
};

/**
 * Tells the sender that a recipient wishes for a longer deadline, once a day at most; gives whether they were told now.
 * Errors: those of `decideExtensionRequest`.
 */
export async function requestExtension(platform: Platform, request: ExtensionRequest): Promise<Result<{ readonly told: boolean }>> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, request.envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const now = platform.clock();
    const lastToldAt = await selectExtensionRequestedAt(trx, request.envelopeId);
    const decision = decideExtensionRequest(aggregate, { recipientId: request.recipientId, lastToldAt, now });
    if (!decision.ok) return decision;
    const { recipient, tellSender } = decision.value;
    if (!tellSender) return success({ told: false });
    await updateExtensionRequested(trx, { envelopeId: request.envelopeId, now });
    await tell(trx, platform, { aggregate, recipient, request });
    return success({ told: true });
  });
}

type Telling = { readonly aggregate: EnvelopeAggregate; readonly recipient: EnvelopeRecipient; readonly request: ExtensionRequest };

async function tell(trx: Transaction, platform: Platform, { aggregate, recipient, request }: Telling): Promise<void> {
  const { envelope } = aggregate;
  const now = platform.clock();
  await appendEvent(trx, platform, {
    envelopeId: envelope.id,
    action: "extension_requested",
    actor: { kind: "recipient", id: recipient.id, name: recipient.fullName, ip: request.client.ip, userAgent: request.client.userAgent },
    detail: { recipient: recipient.id },
  });
  await tellPeople(trx, platform, {
    owner: await selectOwner(trx, envelope.ownerId),
    toOwner: {
      kind: "extension_requested",
      dedupeKey: `extension_requested:${envelope.id}:${now.toISOString()}`,
      envelopeId: envelope.id,
      content: {
        envelopeTitle: envelope.title,
        recipientName: recipient.fullName,
        deadlineAt: (envelope.deadlineAt ?? now).toISOString(),
        link: ownerLink(platform, envelope.id),
      },
    },
    toRecipients: [],
  });
}
