import { createHash } from "node:crypto";
import {
  CONSENT_VERSION,
  failure,
  type Problem,
  problem,
  type Result,
  type SignRequest,
  success,
} from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import {
  loadPrintableCharacters,
  type PrintableCharacters,
} from "../../platform/fonts/printable-characters.ts";
import type { RequestClient } from "../../platform/http/client-of.ts";
import type { SessionUser } from "../accounts/public.ts";
import { documentsDigest } from "../documents/public.ts";
import {
  commit,
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  parisDay,
  signsBefore,
} from "../envelopes/public.ts";
import type { AuditActor, NewAuditEvent } from "../journal/public.ts";
import type { SigningDeps } from "./create-signing.ts";
import { checkFieldValues } from "./domain/check-field-values.ts";
import { checkSigning } from "./domain/check-signing.ts";
import { type MarkEvidence, noteMarkUse, ofInitials } from "./read-mark.ts";
import type { KeptMark } from "./seal/act-content.ts";
import { recordAct } from "./seal/seal-act.ts";
import { type ActMethod, findAct, type NewAct } from "./seal/store.ts";

export type Consent = {
  readonly aggregate: EnvelopeAggregate;
  readonly recipient: EnvelopeRecipient;
  /** What was sent: the same joins the act that it made, anything else is refused. */
  readonly body: SignRequest;
  readonly mark: KeptMark;
  /** What the places for initials take; null: the mark. */
  readonly initials: KeptMark | null;
  readonly evidence: MarkEvidence;
  /** What this browser was shown; null when no such proof is asked (a signed-in person). */
  readonly readDocumentsSha256: Uint8Array | null;
  /** How the person was reached: the code that was entered, or whether the account's address was confirmed. */
  readonly reached: { readonly code: string } | ReturnType<typeof accountReach>;
  readonly method: ActMethod;
  readonly userId: string | null;
  readonly actor: AuditActor;
  readonly client: RequestClient;
};

/**
 * Commits a person's consent under the envelope's lock, with the job that seals it; gives the act to be sealed at once.
 * The same request sent twice joins the act already recorded: one consent, one signature. Another one is `already_signed`.
 * Errors: those of `checkSigning` and `checkFieldValues`; `documents_changed`; `unsupported_character` of a name or a mark.
 */
export async function recordConsent(
  trx: Transaction,
  { platform }: Pick<SigningDeps, "platform">,
  consent: Consent,
): Promise<Result<string>> {
  const { envelope, documents, fields } = consent.aggregate;
  const { recipient } = consent;
  const now = platform.clock();
  const bodySha256 = bodyDigest(consent);
  const act = await findAct(trx, recipient.id);
  const decision = checkSigning({
    status: envelope.status,
    deadlineAt: envelope.deadlineAt,
    role: recipient.role,
    recipientStatus: recipient.status,
    awaited: recipient.awaited,
    before: signsBefore(
      { flow: envelope.flow, recipients: consent.aggregate.recipients },
      recipient.id,
    ),
    act: act === null ? "none" : isSame(act.bodySha256, bodySha256) ? "same" : "other",
    now,
  });
  if (!decision.ok) return decision;
  if (act !== null) return success(act.id);

  const documentsSha256 = documentsDigest(documents);
  if (
    consent.readDocumentsSha256 !== null &&
    Buffer.compare(documentsSha256, consent.readDocumentsSha256) !== 0
  )
    return failure(problem("documents_changed"));
  const printable = await loadPrintableCharacters();
  const values = checkFieldValues({
    own: fields.filter((field) => field.recipientId === recipient.id),
    submitted: consent.body.fields,
    signerName: recipient.fullName,
    today: parisDay(now),
    firstMissing: printable.firstMissing,
  });
  if (!values.ok) return values;
  const unprintable = unprintableIn(consent, printable);
  if (unprintable !== null) return failure(unprintable);

  const event: NewAuditEvent = {
    envelopeId: envelope.id,
    action: "consent_given",
    actor: consent.actor,
    detail: {
      consent_version: CONSENT_VERSION,
      method: consent.method,
      documents_sha256: Buffer.from(documentsSha256).toString("hex"),
      recipient: recipient.id,
      ...consent.reached,
      ...consent.evidence,
    },
  };
  const recorded = actOf(consent, {
    id: platform.newId(),
    documentsSha256,
    bodySha256,
    fields: [...values.value],
    signedAt: now,
  });
  await commit(trx, platform, {
    about: consent.aggregate,
    writes: [
      () => recordAct(trx, platform, recorded),
      () => noteMarkUse(trx, { userId: consent.userId, evidence: consent.evidence, now }),
    ],
    events: [event],
  });
  return success(recorded.id);
}

/** What the journal says of the account that somebody signs by. */
export function accountReach(user: Pick<SessionUser, "recipient_key">) {
  return { account_address: user.recipient_key === null ? "unconfirmed" : "confirmed" } as const;
}

/** SHA-256 of what was sent, as it was read, and of the key that was asked for. */
function bodyDigest({ body, method }: Consent): Uint8Array {
  return new Uint8Array(
    createHash("sha256")
      .update(JSON.stringify([method, body]))
      .digest(),
  );
}

function isSame(known: Uint8Array | null, sent: Uint8Array): boolean {
  return known !== null && Buffer.compare(known, sent) === 0;
}

/** Says which character of the signer's name, signature or initials cannot be drawn; null when all can. */
function unprintableIn(
  { recipient, mark, initials }: Consent,
  printable: PrintableCharacters,
): Problem | null {
  const inHand = (typed: KeptMark | null) =>
    typed?.kind === "typed" ? printable.firstMissingInHand(typed.text, typed.hand) : null;
  const inSignature = printable.firstMissing(recipient.fullName) ?? inHand(mark);
  const character = inSignature ?? inHand(initials);
  if (character === null) return null;
  const refusal = problem("unsupported_character", { params: { character } });
  return inSignature === null ? ofInitials(refusal) : refusal;
}

function actOf(
  { aggregate, recipient, userId, method, mark, initials, client }: Consent,
  {
    fields,
    ...made
  }: Pick<NewAct, "id" | "documentsSha256" | "bodySha256" | "signedAt"> & {
    readonly fields: NewAct["content"]["fields"];
  },
): NewAct {
  return {
    ...made,
    envelopeId: aggregate.envelope.id,
    recipientId: recipient.id,
    userId,
    method,
    consentVersion: CONSENT_VERSION,
    content: { fields, mark, ...(initials === null ? {} : { initials }) },
    ip: client.ip,
    userAgent: client.userAgent,
  };
}
