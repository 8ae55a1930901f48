import type { EnvelopeRecipient } from "../src/features/envelopes/domain/envelope.ts";

/** A signer who was asked and has not looked yet, for tests of the domain. */
export function recipientOf(rest: Partial<EnvelopeRecipient>): EnvelopeRecipient {
  return {
    id: "a",
    position: 1,
    order: 1,
    role: "signer",
    email: "a@exemple.fr",
    emailKey: "a@exemple.fr",
    fullName: "Anne",
    phoneNumber: null,
    status: "notified",
    awaited: true,
    notifiedAt: null,
    viewedAt: null,
    signedAt: null,
    declinedAt: null,
    declineReason: null,
    remindedAt: null,
    askedAt: null,
    automaticReminders: 0,
    wrongTries: 0,
    ...rest,
  };
}
