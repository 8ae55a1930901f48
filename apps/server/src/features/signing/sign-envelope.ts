import { parisDay } from "@paraphe/kernel/paris-days";
import { setTimeout as sleep } from "node:timers/promises";
import {
  CONSENT_VERSION,
  type Envelope,
  failure,
  problem,
  type Problem,
  type Result,
  SEALING_ANSWER_MS,
  type SignPage,
  type SignRequest,
  type StandingDelegation,
  success,
} from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { isStorageFull } from "../../platform/error-code.ts";
import type { RequestClient } from "../../platform/http/request-facts.ts";
import { confirmSigner, emailKey, lockStanding, type SessionUser } from "../accounts/public.ts";
import {
  type Actor,
  commit,
  delegationOver,
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  invalidState,
  loadEnvelope,
  loadToAnswer,
  lockEnvelope,
  presentTo,
  recordView,
  signsBefore,
  updateDelegate,
} from "../envelopes/public.ts";
import { TimestampUnavailableError } from "../trust/public.ts";
import { findSignatory } from "./code-access.ts";
import { actingFor, delegatedFacts, delegateOf, delegationFor, refuseOver } from "./delegations.ts";
import { type Guest, guestActor, lockGuestAccess, resumeGuestSession } from "./guest-access.ts";
import { type GuestSession, sealingFacts } from "./store.ts";
import type { SealingDeps, SigningDeps } from "./seal/create-sealing.ts";
import { loadChanges, presentSignPage } from "./present-signing.ts";
import { type MarkEvidence, noteMarkUse, ofInitials, readMarks } from "./marks/saved-signatures.ts";
import {
  recordAct,
  type RecordedAct,
  type SealingFacts,
  sealWaitingAct,
  type WaitingAct,
} from "./seal/seal-act.ts";
import {
  type ActMethod,
  findAct,
  type FoundAct,
  type StoredMark,
  type NewAct,
} from "./seal/store.ts";
import { createHash } from "node:crypto";
import { toHex } from "@paraphe/kernel/bytes";
import type { Transaction } from "../../platform/database/database.ts";
import {
  loadPrintableCharacters,
  type PrintableCharacters,
} from "../../platform/fonts/load-fonts.ts";
import { documentsDigest } from "../documents/public.ts";
import { type AuditActor, eventsAbout, followedBy, type NewAuditEvent } from "../journal/public.ts";
import { checkFieldValues, checkSigning } from "./domain/check-signing.ts";

/** `sealing`: the signature follows; `void`: the envelope closed first. */
type SealingProgress = {
  readonly outcome: "sealed" | "sealing" | "void";
  readonly after: EnvelopeAggregate | null;
};
const SEALING: SealingProgress = { outcome: "sealing", after: null };

/**
 * Waits 3 s at most; sealing goes on after. Errors, with the consent recorded:
 * `timestamp_unavailable`, `signature_without_room`.
 */
async function sealWithin(deps: SealingDeps, act: WaitingAct): Promise<Result<SealingProgress>> {
  const patience = new AbortController();
  const sealing = sealWaitingAct(deps, act);
  const timeout = sleep(SEALING_ANSWER_MS, "late" as const, {
    signal: patience.signal,
    ref: false,
  }).catch(() => "late" as const);
  try {
    const sealed = await Promise.race([sealing, timeout]);
    if (sealed === "late") {
      sealing.catch((error: unknown) =>
        deps.platform.log.warn({ act_id: act.id, error }, "an act was not sealed at the first try"),
      );
      return success(SEALING);
    }
    return success(sealed);
  } catch (error) {
    deps.platform.log.warn({ act_id: act.id, error }, "an act was not sealed at the first try");
    if (error instanceof TimestampUnavailableError)
      return failure(problem("timestamp_unavailable", { retryAfterS: 30 }));
    if (isStorageFull(error))
      return failure(problem("signature_without_room", { retryAfterS: 300 }));
    return success(SEALING);
  } finally {
    patience.abort();
  }
}

/** Status 202: sealing goes on (contract §4). */
type SigningAnswer = { readonly status: 200 | 202; readonly envelope: Envelope };

/** Errors: those of `sealWithin`; `invalid_state` when the envelope closed first. */
async function answerSigned(
  deps: SigningDeps,
  signed: {
    readonly envelopeId: string;
    readonly recipientId: string;
    readonly consented: Consented;
  },
): Promise<Result<SigningAnswer>> {
  const { actId: id, recorded } = signed.consented;
  const act = { id, envelopeId: signed.envelopeId, recorded };
  const progress = await sealWithin(deps.sealing, act);
  if (!progress.ok) return progress;
  const { after, outcome } = progress.value;
  const aggregate = after ?? (await loadToAnswer(deps.platform.db, signed.envelopeId));
  if (aggregate === null) return failure(problem("not_found"));
  if (outcome === "void") return failure(invalidState(aggregate.envelope.status));
  const viewer = { kind: "recipient", recipientId: signed.recipientId } as const;
  const envelope = await presentTo(deps.platform, aggregate, { viewer });
  return success({ status: outcome === "sealed" ? 200 : 202, envelope });
}

type GuestSigning = {
  readonly guest: Guest;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  readonly body: SignRequest;
  readonly client: RequestClient;
  /** A hardware key signs in place of a one-time key. */
  readonly by?: "hsm";
};

/**
 * Records a guest's consent and answers once sealed, or after 3 s.
 * Errors: those of `lockGuestAccess`; `otp_required`; `hsm_unavailable`; those of `readMarks`,
 * `recordConsent` and `answerSigned`.
 * Source: architecture §3, 'Signing, in order'.
 */
export async function signAsGuest(
  deps: SigningDeps,
  request: GuestSigning,
): Promise<Result<SigningAnswer>> {
  const { platform } = deps;
  const confirmed = await resumeConfirmed(deps, request);
  if (!confirmed.ok) return confirmed;
  if (request.by === "hsm" && (await deps.sealing.trust.hsmSigner()) === null)
    return failure(problem("hsm_unavailable"));
  const marks = await readMarks({ platform, userId: null }, request.body);
  if (!marks.ok) return marks;
  const act = await inTransaction(platform.db, async (trx) => {
    const asked = { now: platform.clock(), also: sealingPart(deps, request.guest) };
    const locked = await lockGuestAccess(trx, request.guest, asked);
    if (!locked.ok) return locked;
    const { aggregate, recipient, facts, also } = locked.value;
    return recordConsent(trx, deps, {
      aggregate,
      recipient,
      read: also,
      act: facts.act,
      body: request.body,
      ...marks.value,
      readDocumentsSha256: confirmed.value.documentsSha256,
      reached: { code: confirmed.value.codeId },
      method: request.by ?? "guest",
      userId: null,
      actor: guestActor(locked.value, request.client),
      client: request.client,
    });
  });
  return act.ok
    ? answerSigned(deps, {
        envelopeId: request.guest.aggregate.envelope.id,
        recipientId: request.guest.recipient.id,
        consented: act.value,
      })
    : act;
}

/** Reads what sealing needs in the statement that locks the envelope. */
function sealingPart({ sealing }: SigningDeps, { aggregate, recipient }: Guest) {
  const about = { envelopeId: aggregate.envelope.id, recipientId: recipient.id };
  return sealingFacts(eventsAbout(about), sealing.trust.seenLists());
}

/** Errors: `otp_required` without a code confirmed in this browser. */
export async function resumeConfirmed(
  deps: SigningDeps,
  request: Pick<GuestSigning, "guest" | "cookies">,
): Promise<Result<GuestSession>> {
  const resumed = await resumeGuestSession(deps.platform, request.guest, request.cookies);
  return resumed === null ? failure(problem("otp_required")) : success(resumed.session);
}

type UserRequest = {
  readonly envelopeId: string;
  readonly user: SessionUser;
  readonly client: RequestClient;
};
type UserSigning = UserRequest & { readonly body: SignRequest; readonly by?: "hsm" };

/**
 * The session proves who signs, with a second factor where the organisation asks for one.
 * Errors: `hsm_unavailable`; `delegation_over`; those of `findSignatory`, `confirmSigner`,
 * `readMarks`, `recordConsent` and `answerSigned`.
 */
export async function signAsUser(
  deps: SigningDeps,
  request: UserSigning,
): Promise<Result<SigningAnswer>> {
  const { platform } = deps;
  const { user, envelopeId } = request;
  const aggregate = await loadEnvelope(platform.db, envelopeId);
  const seen = findSignatory(aggregate, user, request.body.recipient_id);
  if (!seen.ok) return seen;
  // A repeated request joins its act without another confirmation.
  const signer =
    (await findAct(platform.db, seen.value.id)) === null
      ? await confirmSigner(platform, user)
      : success(user);
  if (!signer.ok) return signer;
  if (request.by === "hsm" && (await deps.sealing.trust.hsmSigner()) === null)
    return failure(problem("hsm_unavailable"));
  const marks = await readMarks({ platform, userId: user.id }, request.body);
  if (!marks.ok) return marks;
  const recipient = seen.value;
  const delegation = aggregate ? delegationFor(user, { aggregate, recipient }) : undefined;
  const consenting = {
    request: { ...request, user: signer.value },
    recipientId: recipient.id,
    delegation,
    marks: marks.value,
  };
  const act = await inTransaction(platform.db, (trx) => consentAsUser(trx, deps, consenting));
  if (act.ok)
    return answerSigned(deps, { envelopeId, recipientId: recipient.id, consented: act.value });
  if (act.error.code !== "delegation_over" || !delegation || aggregate === null) return act;
  const { envelope } = aggregate;
  const over = { recipient, delegation, envelope, user, to: "act" } as const;
  return failure(await refuseOver(platform, over));
}

type UserConsent = {
  readonly request: UserSigning;
  readonly recipientId: string;
  readonly delegation: StandingDelegation | undefined;
  readonly marks: Pick<Consent, "mark" | "initials" | "evidence">;
};

async function consentAsUser(
  trx: Transaction,
  deps: SigningDeps,
  { request, recipientId, delegation, marks }: UserConsent,
): Promise<Result<Consented>> {
  const { user, body, client } = request;
  const aggregate = await lockEnvelope(trx, request.envelopeId);
  // Another tab may have signed: the mark is not for the address's next recipient.
  const signatory = findSignatory(aggregate, user, recipientId);
  if (!signatory.ok) return signatory;
  const recipient = signatory.value;
  const act = await findAct(trx, recipient.id);
  if (delegation !== undefined && act === null) {
    // Locked until the commit: whoever stops the delegation comes before or after.
    const standing = { id: delegation.id, now: deps.platform.clock() };
    if (!(await lockStanding(trx, standing))) return failure(delegationOver());
  }
  const delegate = delegation && delegateOf(user, delegation);
  const certified = delegate ? { fullName: user.full_name, email: user.email } : recipient;
  return recordConsent(trx, deps, {
    aggregate: aggregate as EnvelopeAggregate,
    recipient: delegate ? { ...recipient, delegate } : recipient,
    read: null,
    act,
    body,
    ...marks,
    readDocumentsSha256: null,
    reached: accountReach(user, certified),
    method: request.by ?? "authenticated",
    userId: user.id,
    actor: {
      kind: "user",
      id: user.id,
      name: user.full_name,
      ip: client.ip,
      userAgent: client.userAgent,
    },
    client,
  });
}

type PageRequest = UserRequest & { readonly recipientId?: string | undefined };

/** Writes nothing. Errors: those of `findSignatory`. */
export async function readSignPage(
  deps: SigningDeps,
  request: PageRequest,
): Promise<Result<SignPage>> {
  const { platform } = deps;
  const aggregate = await loadEnvelope(platform.db, request.envelopeId);
  const signatory = findSignatory(aggregate, request.user, request.recipientId);
  if (!signatory.ok) return signatory;
  const recipient = signatory.value;
  const act = await findAct(platform.db, recipient.id);
  const signer = {
    changes: aggregate === null ? [] : await loadChanges(platform, aggregate),
    aggregate: aggregate as EnvelopeAggregate,
    recipient,
    hasUnsealedAct: act !== null && !act.sealed,
  };
  const hasHsm = platform.hsm !== null;
  return success(presentSignPage(signer, { hasHsm, user: request.user }));
}

/** Errors: those of `findSignatory`. */
export async function viewAsUser(
  { platform }: SigningDeps,
  request: UserRequest,
): Promise<Result<null>> {
  const aggregate = await loadEnvelope(platform.db, request.envelopeId);
  const signatory = findSignatory(aggregate, request.user);
  if (!signatory.ok) return signatory;
  const { id: recipientId, viewedAt } = signatory.value;
  if (viewedAt === null && aggregate !== null)
    await recordView(platform, {
      envelopeId: request.envelopeId,
      recipientId,
      client: request.client,
      delegate: actingFor(request.user, { aggregate, recipient: signatory.value }),
    });
  return success(null);
}

export type Consent = {
  readonly aggregate: EnvelopeAggregate;
  readonly recipient: EnvelopeRecipient;
  /** Read with the lock; null: sealing reads them. */
  readonly read: SealingFacts | null;
  readonly act: FoundAct | null;
  readonly body: SignRequest;
  readonly mark: StoredMark;
  readonly initials: StoredMark | null;
  readonly evidence: MarkEvidence;
  /** The documents shown to this browser; null for a user. */
  readonly readDocumentsSha256: Uint8Array | null;
  /** The confirmed code, or how the account was reached. */
  readonly reached: { readonly code: string } | ReturnType<typeof accountReach>;
  readonly method: ActMethod;
  readonly userId: string | null;
  readonly actor: AuditActor;
  readonly client: RequestClient;
};

export type Consented = { readonly actId: string; readonly recorded: RecordedAct | null };

/**
 * Records consent and sealing job under the envelope's lock. The same request joins its act;
 * another gets `already_signed`.
 * Errors: those of `checkSigning` and `checkFieldValues`; `documents_changed`;
 * `unsupported_character`.
 */
export async function recordConsent(
  trx: Transaction,
  { platform }: Pick<SigningDeps, "platform">,
  consent: Consent,
): Promise<Result<Consented>> {
  const { recipient, evidence, userId, act } = consent;
  const aggregate = withRecipient(consent);
  const now = platform.clock();
  const bodySha256 = bodyDigest(consent);
  const { status, deadlineAt, flow } = aggregate.envelope;
  const decision = checkSigning({
    status,
    deadlineAt,
    role: recipient.role,
    recipientStatus: recipient.status,
    awaited: recipient.awaited,
    before: signsBefore({ flow, recipients: aggregate.recipients }, recipient.id),
    act: act === null ? "none" : isSame(act.bodySha256, bodySha256) ? "same" : "other",
    now,
  });
  if (!decision.ok) return decision;
  if (act !== null) return success({ actId: act.id, recorded: null });

  const documentsSha256 = documentsDigest(aggregate.documents);
  const read = consent.readDocumentsSha256;
  if (read !== null && !isSame(read, documentsSha256)) return failure(problem("documents_changed"));
  const printable = await loadPrintableCharacters();
  const values = checkFieldValues({
    own: aggregate.fields.filter((field) => field.recipientId === recipient.id),
    submitted: consent.body.fields,
    signerName: recipient.fullName,
    today: parisDay(now),
    firstMissing: printable.firstMissing,
  });
  if (!values.ok) return values;
  const unprintable = unprintableIn(consent, printable);
  if (unprintable !== null) return failure(unprintable);

  const recorded = actOf(consent, {
    id: platform.newId(),
    documentsSha256,
    bodySha256,
    fields: [...values.value],
    signedAt: now,
  });
  const given = consentEvent(consent, documentsSha256);
  await commit(trx, platform, {
    about: aggregate,
    writes: [
      () => noteMarkUse(trx, { userId, evidence, now }),
      recipient.delegate ? updateDelegate(recipient.id, recipient.delegate) : null,
      ...recordAct(trx, platform, recorded),
    ],
    events: [given],
  });
  return success(consentedBy({ ...consent, aggregate }, { recorded, given }));
}

function consentedBy(
  { aggregate, read }: Consent,
  { recorded, given }: { readonly recorded: NewAct; readonly given: NewAuditEvent },
): Consented {
  const act = { ...recorded, sealedAt: null, failedTries: 0 };
  const after = read && { ...read, events: followedBy(read.events, given, recorded.signedAt) };
  return { actId: recorded.id, recorded: { act, aggregate, read: after } };
}

function withRecipient({ aggregate, recipient }: Consent): EnvelopeAggregate {
  const recipients = aggregate.recipients.map((one) => (one.id === recipient.id ? recipient : one));
  return { ...aggregate, recipients };
}

function consentEvent(consent: Consent, documentsSha256: Uint8Array): NewAuditEvent {
  const acting = delegatedFacts(consent.recipient.delegate);
  return {
    envelopeId: consent.aggregate.envelope.id,
    action: "consent_given",
    actor: consent.actor,
    ...acting,
    detail: {
      consent_version: CONSENT_VERSION,
      method: consent.method,
      documents_sha256: toHex(documentsSha256),
      recipient: consent.recipient.id,
      ...consent.reached,
      ...consent.evidence,
      ...acting.detail,
    },
  };
}

type Certified = { readonly fullName: string; readonly email: string };

/**
 * Tells the journal whether the address is confirmed, how the session opened and what confirmed
 * this signature; what the provider said stays apart.
 */
export function accountReach(
  user: Pick<Actor["user"], "recipient_key" | "provider" | "means" | "confirmed_by">,
  signer: Certified,
) {
  return {
    account_address: user.recipient_key === null ? "unconfirmed" : "confirmed",
    ...(user.means !== undefined && { opened_by: user.means }),
    ...(user.confirmed_by !== undefined && { confirmed_by: user.confirmed_by }),
    ...(user.provider !== undefined && vouchedDetail(user.provider, signer)),
  } as const;
}

function vouchedDetail(
  provider: NonNullable<Actor["user"]["provider"]>,
  { fullName, email }: Certified,
) {
  const { givenName, familyName, siret } = provider;
  const isNamed = emailKey(`${givenName ?? ""} ${familyName ?? ""}`) === emailKey(fullName);
  const isAddressed = provider.email !== null && emailKey(provider.email) === emailKey(email);
  return {
    vouched_by: new URL(provider.issuer).host,
    vouched: [...(isNamed ? ["name"] : []), ...(isAddressed ? ["email"] : [])],
    ...(siret !== null && { vouched_siret: siret }),
  };
}

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

function unprintableIn(
  { recipient, mark, initials }: Consent,
  printable: PrintableCharacters,
): Problem | null {
  const inHand = (typed: StoredMark | null) =>
    typed?.kind === "typed" ? printable.firstMissingInHand(typed.text, typed.hand) : null;
  const names = `${recipient.delegate?.full_name ?? ""}${recipient.fullName}`;
  const inSignature = printable.firstMissing(names) ?? inHand(mark);
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
