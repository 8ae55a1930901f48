import type { EnvelopeRecipient } from "../src/features/envelopes/domain/envelope.ts";
import { newRecipient } from "../src/features/envelopes/recipient-store.ts";

/** A signer who was asked and has not looked yet, for tests of the domain. */
export function recipientOf(rest: Partial<EnvelopeRecipient>): EnvelopeRecipient {
  const signer = newRecipient({
    id: "a",
    position: 1,
    order: 1,
    role: "signer",
    email: "a@exemple.fr",
    emailKey: "a@exemple.fr",
    fullName: "Anne",
    phoneNumber: null,
  });
  return { ...signer, status: "notified", awaited: true, ...rest };
}
