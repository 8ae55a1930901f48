import {
  type CorrectRecipientRequest,
  failure,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { isServedCountry } from "../../platform/sms/create-sms-transport.ts";
import { emailKey, maskEmail, maskPhone } from "../accounts/public.ts";
import { appendEvent } from "../journal/public.ts";
import { isLastRequestRefused, withdrawNotices } from "../notices/public.ts";
import { auditActor, changeEnvelope } from "./change-envelope.ts";
import { type Correction, decideCorrection } from "./domain/decisions.ts";
import { OTHER_COUNTRY } from "./domain/draft-checks.ts";
import { envelopeText } from "./domain/search-text.ts";
import type { EnvelopeCommand } from "./domain/viewer.ts";
import { inviteRecipients } from "./invite-recipients.ts";
import { limitAskingOne, mayAskToday } from "./limit-actions.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { closeDoors, updateAddress } from "./recipient-store.ts";
import { selectOwner, selectWaitingActs, updateEnvelopeRow } from "./store.ts";

export type RecipientCorrection = EnvelopeCommand & {
  readonly recipientId: string;
  readonly request: CorrectRecipientRequest;
};

/**
 * Corrects the address or the number of a recipient who has not answered. What the old address received opens nothing any more: links,
 * codes and sessions are dead in the same transaction, and the person is asked at the new one.
 * Errors: `not_found`, `not_allowed`, those of `decideCorrection`; `validation` (a number of a country that no text goes to); `too_many_requests`, `too_many_messages`.
 */
export async function correctRecipient(
  platform: Platform,
  command: RecipientCorrection,
): Promise<Result<EnvelopeAggregate>> {
  const { email, phone_number: phoneNumber } = command.request;
  return changeEnvelope(platform, { command, action: "remind" }, async (trx, aggregate) => {
    if (phoneNumber && !isServedCountry(platform.settings, phoneNumber))
      return failure(problem("validation", { errors: { phone_number: [OTHER_COUNTRY] } }));
    const acts = await selectWaitingActs(trx, aggregate.envelope.id);
    const decision = decideCorrection(aggregate, {
      recipientId: command.recipientId,
      now: platform.clock(),
      consenting: new Set(acts.map((act) => act.recipientId)),
      email: email === undefined ? null : { value: email, key: emailKey(email) },
      phoneNumber: phoneNumber === "" ? null : phoneNumber,
    });
    if (!decision.ok) return decision;
    if (decision.value.change === null) return success(null);
    const { change, recipient } = decision.value;
    const { envelope } = aggregate;
    const isAsked = change.newAddress && recipient.awaited;
    const spent = await mayAskToday(
      { ...platform, db: trx },
      { envelope, recipients: isAsked ? [{ ...recipient, ...change }] : [] },
    );
    if (!spent.ok) return spent;
    // In the transaction: what is refused is not counted.
    const { recipientId } = command;
    const lastRefused = await isLastRequestRefused(trx, {
      envelopeId: aggregate.envelope.id,
      recipientId,
    });
    const limited = await limitAskingOne(
      { ...platform, db: trx },
      { recipientId, ownerId: aggregate.envelope.ownerId, lastRefused },
    );
    if (!limited.ok) return limited;
    await commit(trx, platform, { command, aggregate, correction: decision.value });
    return success(null);
  });
}

type Commit = {
  readonly command: RecipientCorrection;
  readonly aggregate: EnvelopeAggregate;
  readonly correction: Correction;
};

async function commit(
  trx: Transaction,
  platform: Platform,
  { command, aggregate, correction }: Commit,
): Promise<void> {
  const { envelope } = aggregate;
  const { recipient, change } = correction;
  if (change === null) return;
  const now = platform.clock();
  const actor = auditActor(command.actor);
  await updateAddress(trx, { recipientId: recipient.id, ...change });
  await closeDoors(trx, {
    recipientId: recipient.id,
    links: change.newAddress ? "revoke" : "keep",
    now,
  });
  const people = aggregate.recipients.map((one) =>
    one.id === recipient.id ? { ...one, email: change.email } : one,
  );
  await updateEnvelopeRow(trx, {
    id: envelope.id,
    now,
    search_text: envelopeText(envelope.title, envelope.createdByName, people),
  });
  await appendEvent(trx, platform, {
    envelopeId: envelope.id,
    action: "recipient_address_corrected",
    actor,
    detail: {
      recipient: recipient.id,
      email: change.newAddress,
      phone_number: change.phoneNumber !== recipient.phoneNumber,
    },
    personal: {
      // Masked: whoever it belongs to has nothing to do with this envelope, and the journal is kept for ten years.
      old_email: maskEmail(recipient.email),
      email: change.email,
      ...(recipient.phoneNumber === null
        ? {}
        : { old_phone_number: maskPhone(recipient.phoneNumber) }),
      ...(change.phoneNumber === null ? {} : { phone_number: change.phoneNumber }),
    },
  });
  const theirs = { envelopeId: envelope.id, recipientId: recipient.id };
  // A code that waits for the old number is dead, and must not reach it.
  await withdrawNotices(trx, platform, change.newAddress ? theirs : { ...theirs, only: "codes" });
  if (!change.newAddress) return;
  if (!recipient.awaited) return;
  const { email, emailKey: key, phoneNumber } = change;
  await inviteRecipients(trx, platform, {
    kind: "invitation",
    envelope,
    owner: await selectOwner(trx, envelope.ownerId),
    recipients: [{ ...recipient, email, emailKey: key, phoneNumber }],
    actor,
    occasion: `corrected:${now.toISOString()}`,
  });
}
