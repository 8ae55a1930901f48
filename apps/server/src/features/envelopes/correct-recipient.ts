import {
  type CorrectRecipientRequest,
  failure,
  problem,
  type Result,
  success,
  isServedNumber,
  maskEmail,
  maskPhone,
} from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { emailKey } from "../accounts/public.ts";
import { type NewAuditEvent, selectStepChanges } from "../journal/public.ts";
import { isLastRequestRefused } from "../notices/public.ts";
import { storeCorrected } from "./contacts/contacts.ts";
import { changeEnvelope, limitAskingOne, mayAskToday } from "./change-envelope.ts";
import { type Decision, auditActor } from "./commit.ts";
import { type Correction, decideCorrection } from "./domain/decisions.ts";
import { OTHER_COUNTRY } from "./domain/draft-checks.ts";
import { type Envelope, type EnvelopeRecipient, isBrought, mustAct } from "./domain/envelope.ts";
import { envelopeText } from "./domain/search-text.ts";
import type { EnvelopeCommand } from "./domain/viewer.ts";
import { prepareInvitations } from "./invitations.ts";
import { type EnvelopeAggregate, updateEnvelopeRow } from "./store.ts";
import {
  clearAnswers,
  closeAccess,
  deleteCodes,
  type RecipientToInsert,
  type FieldsMove,
  replaceRecipientRows,
  selectConsenting,
  updateAddress,
} from "./recipient-store.ts";

export type RecipientCorrection = EnvelopeCommand & {
  readonly recipientId: string;
  readonly request: CorrectRecipientRequest;
};

/**
 * Corrects the contact of a recipient who has not answered, and invites them. Links, codes and
 * sessions of the old address end in the same transaction.
 * Errors: `not_found`, `not_allowed`, those of `decideCorrection`; `validation` for an unserved
 * country; `too_many_requests`, `too_many_messages`.
 */
export async function correctRecipient(
  platform: Platform,
  command: RecipientCorrection,
): Promise<Result<EnvelopeAggregate>> {
  const { full_name: fullName, email, phone_number: phoneNumber } = command.request;
  const mistaken: { key?: string } = {};
  const corrected = await changeEnvelope(
    platform,
    { command, action: "remind" },
    async (trx, aggregate) => {
      if (phoneNumber && !isServedNumber(phoneNumber, platform.settings.smsCountries))
        return failure(problem("validation", { errors: { phone_number: [OTHER_COUNTRY] } }));
      const decision = decideCorrection(aggregate, {
        recipientId: command.recipientId,
        now: platform.clock(),
        consenting: await selectConsenting(trx, aggregate.envelope.id),
        email: email === undefined ? null : { value: email, key: emailKey(email) },
        fullName,
        phoneNumber: phoneNumber === "" ? null : phoneNumber,
      });
      if (!decision.ok) return decision;
      if (decision.value.change === null) return success(null);
      const { change, recipient } = decision.value;
      if (change.newAddress) mistaken.key = recipient.emailKey;
      const { envelope } = aggregate;
      const isAsked = change.newAddress && recipient.awaited;
      const spent = await mayAskToday(
        { ...platform, db: trx },
        { envelope, recipients: isAsked ? [{ ...recipient, ...change }] : [] },
      );
      if (!spent.ok) return spent;
      // Counted in the transaction, so that a refused attempt is not.
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
      return success(await decideWrites(trx, platform, { command, aggregate, recipient, change }));
    },
  );
  const person = corrected.ok
    ? corrected.value.recipients.find(({ id }) => id === command.recipientId)
    : undefined;
  if (person !== undefined && mistaken.key !== undefined)
    await storeCorrected(platform, {
      sender: command.actor.user,
      people: [person],
      mistakenKey: mistaken.key,
    });
  return corrected;
}

type Correcting = {
  readonly command: RecipientCorrection;
  readonly aggregate: EnvelopeAggregate;
  readonly recipient: Correction["recipient"];
  readonly change: NonNullable<Correction["change"]>;
};

async function decideWrites(
  trx: Transaction,
  platform: Platform,
  correcting: Correcting,
): Promise<Decision> {
  const { aggregate, recipient, change } = correcting;
  const { envelope } = aggregate;
  const { id: recipientId } = recipient;
  const { fullName, email, emailKey: key, phoneNumber } = change;
  const now = platform.clock();
  const people = aggregate.recipients.map((one) =>
    one.id === recipientId ? { ...one, email, fullName } : one,
  );
  const search_text = envelopeText(envelope.title, envelope.createdByName, people);
  const links = change.newAddress ? "revoke" : "keep";
  const invitations = await prepareInvitations(trx, platform, {
    kind: "invitation",
    envelope,
    recipients:
      change.newAddress && recipient.awaited
        ? [{ ...recipient, fullName, email, emailKey: key, phoneNumber }]
        : [],
    actor: auditActor(correcting.command.actor),
    occasion: `corrected:${now.toISOString()}`,
  });
  return {
    writes: [
      () => updateAddress(trx, { recipientId, ...change }),
      // Runs first: later it would revoke the new link.
      () => closeAccess(trx, { recipientId, links, now }),
      change.newAddress ? () => deleteCodes(trx, recipientId) : null,
      updateEnvelopeRow({ id: envelope.id, now, search_text }),
      ...invitations.writes,
    ],
    events: [correctedEvent(correcting.command, recipient, change), ...invitations.events],
    notices: invitations.notices,
  };
}

type Contacts = Pick<EnvelopeRecipient, "fullName" | "email" | "phoneNumber">;

/** Former contacts are masked: their owner may be unrelated, and the journal lasts ten years. */
function correctedEvent(
  { envelopeId, actor }: EnvelopeCommand,
  recipient: Contacts & Pick<EnvelopeRecipient, "id">,
  change: Contacts,
): NewAuditEvent {
  return {
    envelopeId,
    action: "recipient_address_corrected",
    actor: auditActor(actor),
    detail: {
      recipient: recipient.id,
      email: change.email !== recipient.email,
      phone_number: change.phoneNumber !== recipient.phoneNumber,
      ...(change.fullName !== recipient.fullName && change.email !== recipient.email
        ? { replaced: true }
        : {}),
    },
    personal: {
      ...(change.fullName === recipient.fullName
        ? {}
        : { from_name: recipient.fullName, full_name: change.fullName }),
      old_email: maskEmail(recipient.email),
      email: change.email,
      ...(recipient.phoneNumber === null
        ? {}
        : { old_phone_number: maskPhone(recipient.phoneNumber) }),
      ...(change.phoneNumber === null ? {} : { phone_number: change.phoneNumber }),
    },
  };
}

type Place = Pick<RecipientToInsert, "role" | "order"> & {
  readonly key: string;
  readonly isParty: boolean;
};
type Known = { readonly same?: EnvelopeRecipient; readonly former?: EnvelopeRecipient };

/** Gives each place's recipient, or who had it before: their fields go to who has it now. */
export function matchPlaces(
  places: readonly Place[],
  {
    envelope,
    recipients,
  }: {
    readonly envelope: Pick<Envelope, "circuit">;
    readonly recipients: readonly EnvelopeRecipient[];
  },
): readonly Known[] {
  const left = new Set(recipients.toSorted((one, other) => one.order - other.order));
  const known = new Map<number, Known>();
  const pass = (as: keyof Known, isThere: (place: Place, other: EnvelopeRecipient) => boolean) => {
    for (const [index, place] of places.entries()) {
      if (known.has(index)) continue;
      const there = [...left].find((other) => other.role === place.role && isThere(place, other));
      if (there === undefined) continue;
      left.delete(there);
      known.set(index, { [as]: there });
    }
  };
  pass("same", ({ key, order }, other) => other.emailKey === key && other.order === order);
  pass("same", ({ key }, other) => other.emailKey === key);
  pass(
    "former",
    ({ order, isParty }, other) =>
      !isParty && other.order === order && isBrought(envelope.circuit, other),
  );
  return places.map((_, index) => known.get(index) ?? {});
}

type Replacing = {
  readonly command: EnvelopeCommand;
  readonly aggregate: Pick<EnvelopeAggregate, "recipients">;
  readonly recipients: readonly RecipientToInsert[];
  readonly moves?: readonly FieldsMove[];
  readonly now: Date;
};

/** Corrects, in a returned draft, those asked before whose contact or role changes. */
export function replacingRecipients(
  trx: Transaction,
  { command, aggregate, recipients, moves = [], now }: Replacing,
): { readonly events: readonly NewAuditEvent[]; write(): Promise<void> } {
  const after = new Map(recipients.map((one) => [one.id, one]));
  const corrected = aggregate.recipients.flatMap((before) => {
    const one = after.get(before.id);
    const isSame =
      one === undefined ||
      before.notifiedAt === null ||
      (isSameContact(before, one) && mustAct(one) === mustAct(before));
    return isSame ? [] : [[before, one] as const];
  });
  return {
    events: corrected
      .filter((pair) => !isSameContact(...pair))
      .map(([before, one]) => correctedEvent(command, before, one)),
    async write() {
      const former = [
        ...moves.map(({ from }) => from),
        ...corrected.flatMap(([before, one]) => (isOther(before, one) ? [before] : [])),
      ];
      await clearAnnulled(trx, command.envelopeId, former);
      await replaceRecipientRows(trx, { envelopeId: command.envelopeId, recipients, moves });
      for (const [before, one] of corrected) {
        const { id: recipientId } = before;
        const ends = isOther(before, one);
        await closeAccess(trx, { recipientId, links: ends ? "revoke" : "keep", now });
        if (ends) await deleteCodes(trx, recipientId);
      }
    },
  };
}

const isOther = (before: Contacts, after: RecipientToInsert) =>
  before.email !== after.email || after.role === "viewer";

async function clearAnnulled(
  trx: Transaction,
  envelopeId: string,
  former: readonly Pick<EnvelopeRecipient, "id" | "notifiedAt">[],
): Promise<void> {
  if (former.every(({ notifiedAt }) => notifiedAt === null)) return;
  const changes = await selectStepChanges(trx, envelopeId);
  const annulled = new Set(changes.flatMap((change) => change.annulled));
  const ids = former.map(({ id }) => id).filter((id) => annulled.has(id));
  if (ids.length > 0) await clearAnswers(trx, ids);
}

const isSameContact = (before: Contacts, after: Contacts) =>
  before.fullName === after.fullName &&
  before.email === after.email &&
  before.phoneNumber === after.phoneNumber;
