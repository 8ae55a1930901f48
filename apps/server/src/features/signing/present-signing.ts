import type { GuestEnvelope, SignPage } from "@paraphe/contracts";
import { maskEmail, maskPhone } from "../accounts/index.ts";
import { presentDocument } from "../documents/index.ts";
import { type EnvelopeAggregate, type EnvelopeRecipient, presentField } from "../envelopes/index.ts";
import type { CodeWay } from "./read-code-way.ts";

export type Signatory = { readonly aggregate: EnvelopeAggregate; readonly recipient: EnvelopeRecipient; readonly hasUnsealedAct: boolean };

/** Gives what a guest may see: the documents and fields only once the code is confirmed in this browser (security line 35). */
export function presentGuest(
  guest: Signatory,
  otp: { readonly verified: boolean; readonly resendIn: number; readonly bySms: boolean; readonly way: CodeWay },
): GuestEnvelope {
  const self = presentSelf(guest, { email: maskEmail(guest.recipient.email) });
  return {
    ...presentFrame(guest),
    // The page offers a text where it sees a number.
    recipient: otp.bySms ? self : { ...self, phone_hint: null },
    otp: { ...otp.way, verified: otp.verified, resend_in: otp.resendIn },
    ...(otp.verified ? presentContent(guest) : {}),
  };
}

/** Gives what a signed-in signer's page needs, in one call. */
export function presentSignPage(signatory: Signatory): SignPage {
  return {
    ...presentFrame(signatory),
    recipient: presentSelf(signatory, { email: signatory.recipient.email }),
    ...presentContent(signatory),
  };
}

function presentFrame({ aggregate: { envelope } }: Signatory) {
  return {
    id: envelope.id,
    title: envelope.title,
    status: envelope.status,
    sender_name: envelope.createdByName,
    message: envelope.message,
    deadline_at: envelope.deadlineAt?.toISOString() ?? null,
    progress: {
      signed: envelope.signedCount,
      total: envelope.signerCount,
      percent: envelope.signerCount === 0 ? 0 : Math.round((100 * envelope.signedCount) / envelope.signerCount),
    },
  };
}

function presentSelf({ recipient, hasUnsealedAct }: Signatory, shown: { readonly email: string }): GuestEnvelope["recipient"] {
  const isSigned = recipient.status === "signed";
  return {
    id: recipient.id,
    full_name: recipient.fullName,
    email: shown.email,
    phone_hint: recipient.phoneNumber === null ? null : maskPhone(recipient.phoneNumber),
    role: recipient.role,
    status:
      hasUnsealedAct && !isSigned
        ? "sealing"
        : isSigned || recipient.awaited || recipient.status === "declined" || recipient.role === "viewer"
          ? recipient.status
          : "waiting",
    signed: isSigned,
    signed_at: recipient.signedAt?.toISOString() ?? null,
  };
}

/** Everybody's places are shown, nobody else's values: those that count stand in the document itself. */
function presentContent({ aggregate, recipient }: Signatory): Pick<SignPage, "documents" | "fields"> {
  return {
    documents: aggregate.documents.map(presentDocument),
    fields: aggregate.fields.map((field) => ({
      ...presentField(field, { kind: "recipient", recipientId: recipient.id }),
      own: field.recipientId === recipient.id,
    })),
  };
}
