import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import type { WarningDays } from "./domain/decide-warning.ts";
import type { Envelope, EnvelopeRecipient } from "./domain/envelope.ts";
import { mintRecipientTokens, recipientLink, tokenSha256 } from "./mint-recipient-token.ts";
import { ownerLink } from "./notify-people.ts";
import { updateAsked } from "./recipient-store.ts";
import { selectOwner } from "./store.ts";
import { tellPeople } from "./tell-people.ts";

type Expiring = { readonly envelope: Envelope; readonly awaited: readonly EnvelopeRecipient[]; readonly days: WarningDays };

/** Tells those whose signature is awaited that the deadline is near, each with a fresh link; and the sender, for whom it waits. */
export async function notifyExpiring(trx: Transaction, platform: Platform, { envelope, awaited, days }: Expiring): Promise<void> {
  const owner = await selectOwner(trx, envelope.ownerId);
  const deadlineAt = (envelope.deadlineAt ?? platform.clock()).toISOString();
  const common = { kind: "expiring", envelopeId: envelope.id } as const;
  const occasion = `${days}:${deadlineAt}`;
  const content = {
    envelopeTitle: envelope.title,
    senderName: envelope.createdByName,
    senderEmail: owner.email,
    deadlineAt,
    daysLeft: days,
  };
  const ids = awaited.map((recipient) => recipient.id);
  const tokens = await mintRecipientTokens(trx, platform, ids);
  await updateAsked(trx, { ids, deadlineAt: envelope.deadlineAt, now: platform.clock() });
  await tellPeople(trx, platform, {
    owner,
    toOwner: {
      ...common,
      dedupeKey: `expiring:${envelope.id}:owner:${occasion}`,
      content: {
        ...content,
        role: "signer",
        waitingFor: awaited.map((recipient) => recipient.fullName),
        link: ownerLink(platform, envelope.id),
      },
    },
    toRecipients: awaited.map((recipient, index) => ({
      recipient,
      notice: {
        ...common,
        dedupeKey: `expiring:${recipient.id}:${occasion}`,
        linkSha256: tokenSha256(tokens[index] as string),
        content: {
          ...content,
          role: recipient.role,
          waitingFor: null,
          link: recipientLink(platform, envelope.id, tokens[index] as string),
        },
      },
    })),
  });
}
