import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { enqueueNotices, type MemberNotice, type Notice, noticesForMember } from "../notices/public.ts";
import type { EnvelopeRecipient } from "./domain/envelope.ts";
import { pushesToRecipients } from "./pushes-to-recipients.ts";
import type { Owner } from "./store.ts";

export type Told = {
  readonly owner: Owner;
  /** What the sender is told, on the channels they chose; null: nothing. */
  readonly toOwner: MemberNotice | null;
  readonly toRecipients: readonly { readonly recipient: EnvelopeRecipient; readonly notice: MemberNotice }[];
};

/**
 * Asks for the messages of one event of an envelope. Recipients are told by mail, whatever they chose for an account they may have; push
 * messages come beside.
 */
export async function tellPeople(trx: Transaction, platform: Platform, { owner, toOwner, toRecipients }: Told): Promise<void> {
  const own = toOwner === null ? [] : await noticesForMember(trx, platform, { member: owner, notice: toOwner });
  const pairs = toRecipients.map(({ recipient, notice }) => ({ emailKey: recipient.emailKey, notice: { ...notice, senderId: owner.id } }));
  const pushes = await pushesToRecipients(trx, platform, { told: pairs, except: owner.id });
  const mails = toRecipients.map(({ recipient, notice }) => {
    const to = { fullName: recipient.fullName, address: recipient.email };
    return { ...notice, channel: "email", to, recipientId: recipient.id, senderId: owner.id } as Notice;
  });
  await enqueueNotices(trx, platform, [...own, ...mails, ...pushes]);
}
