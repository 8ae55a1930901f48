import { confirmedContacts, type Contact, readReaches } from "@paraphe/proof/parts";
import type { Reader } from "../../../platform/database/database.ts";
import type { EnvelopeRecipient } from "../../envelopes/public.ts";
import { selectEventsAbout } from "../../journal/public.ts";

/** Gives the address that a person's certificate states: theirs once something mailed there came back, by their envelope's journal; null otherwise. */
export async function certifiedEmail(reader: Reader, envelopeId: string, recipient: EnvelopeRecipient): Promise<string | null> {
  const events = await selectEventsAbout(reader, { envelopeId, recipientId: recipient.id });
  const { reaches } = readReaches(events.map((event) => ({ ...event, at: event.at.toISOString(), personal: {} })));
  return ifConfirmed(recipient.email, reaches.get(recipient.id)?.confirmed ?? []);
}

/** The same, of whoever signs what is theirs by their account; `recipient_key` is null while no person has confirmed its address. */
export function certifiedAccountEmail(user: { readonly email: string; readonly recipient_key: string | null }): string | null {
  return ifConfirmed(user.email, confirmedContacts({ isAddressConfirmed: user.recipient_key !== null }));
}

function ifConfirmed(email: string, confirmed: readonly Contact[]): string | null {
  return confirmed.includes("email") ? email : null;
}
