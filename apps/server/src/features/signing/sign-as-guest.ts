import { failure, problem, type Result, type SignRequest, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { RequestClient } from "../../platform/http/client-of.ts";
import type { SigningDeps } from "./create-signing.ts";
import { type Guest, lockGuestDoor } from "./guest-door.ts";
import { resumeGuestSession } from "./guest-session.ts";
import { readMarks } from "./read-mark.ts";
import { recordConsent } from "./record-consent.ts";
import { type SigningAnswer, answerSigned } from "./answer-signed.ts";
import { guestActor } from "./code-door.ts";
import type { GuestSession } from "./store.ts";

export type GuestSigning = {
  readonly guest: Guest;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  readonly body: SignRequest;
  readonly client: RequestClient;
  /** With the organisation's hardware key instead of a one-time one. */
  readonly by?: "hsm";
};

/**
 * Records a guest's consent and seals it at once.
 * Errors: those of the guest's door; `otp_required`; `hsm_unavailable`, nothing being recorded; those of `readMarks`, `recordConsent` and `answerSigned`.
 * Source: architecture §3, 'Signing, in order'.
 */
export async function signAsGuest(deps: SigningDeps, request: GuestSigning): Promise<Result<SigningAnswer>> {
  const { platform } = deps;
  const confirmed = await resumeConfirmed(deps, request);
  if (!confirmed.ok) return confirmed;
  if (request.by === "hsm" && (await deps.sealing.trust.hsmSigner()) === null) return failure(problem("hsm_unavailable"));
  const marks = await readMarks({ platform, userId: null }, request.body);
  if (!marks.ok) return marks;
  const act = await inTransaction(platform.db, async (trx) => {
    const locked = await lockGuestDoor(trx, request.guest, platform.clock());
    if (!locked.ok) return locked;
    return recordConsent(trx, deps, {
      ...locked.value,
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
    ? answerSigned(deps, { envelopeId: request.guest.aggregate.envelope.id, recipientId: request.guest.recipient.id, actId: act.value })
    : act;
}

/** Gives the session of a guest who has confirmed the code in this browser. Errors: `otp_required`. */
export async function resumeConfirmed(deps: SigningDeps, request: Pick<GuestSigning, "guest" | "cookies">): Promise<Result<GuestSession>> {
  const resumed = await resumeGuestSession(deps.platform, request.guest.recipient.id, request.cookies);
  return resumed === null ? failure(problem("otp_required")) : success(resumed.session);
}
