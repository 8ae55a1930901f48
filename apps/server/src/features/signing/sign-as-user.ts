import { failure, problem, type Result, type SignPage, type SignRequest, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { RequestClient } from "../../platform/http/client-of.ts";
import type { SessionUser } from "../accounts/public.ts";
import { type EnvelopeAggregate, loadEnvelope, lockEnvelope, recordView } from "../envelopes/public.ts";
import { findAct } from "./seal/store.ts";
import { answerSigned, type SigningAnswer } from "./answer-signed.ts";
import type { SigningDeps } from "./create-signing.ts";
import { findSignatory } from "./find-signatory.ts";
import { presentSignPage } from "./present-signing.ts";
import { readMarks } from "./read-mark.ts";
import { accountReach, recordConsent } from "./record-consent.ts";

export type UserRequest = { readonly envelopeId: string; readonly user: SessionUser; readonly client: RequestClient };
/** `by`: with the organisation's hardware key instead of a one-time one. */
export type UserSigning = UserRequest & { readonly body: SignRequest; readonly by?: "hsm" };

/**
 * Records the consent of a signed-in signer and seals it at once; the session alone is the proof asked for.
 * Errors: `hsm_unavailable`, nothing being recorded; those of `findSignatory`, `readMarks`, `recordConsent` and `answerSigned`.
 */
export async function signAsUser(deps: SigningDeps, request: UserSigning): Promise<Result<SigningAnswer>> {
  const { platform } = deps;
  const seen = findSignatory(await loadEnvelope(platform.db, request.envelopeId), request.user, request.body.recipient_id);
  if (!seen.ok) return seen;
  if (request.by === "hsm" && (await deps.sealing.trust.hsmSigner()) === null) return failure(problem("hsm_unavailable"));
  const marks = await readMarks({ platform, userId: request.user.id }, request.body);
  if (!marks.ok) return marks;
  const act = await inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, request.envelopeId);
    // Another tab may have signed meanwhile: this mark is not for whoever of the same address is next.
    const signatory = findSignatory(aggregate, request.user, seen.value.id);
    if (!signatory.ok) return signatory;
    return recordConsent(trx, deps, {
      aggregate: aggregate as EnvelopeAggregate,
      recipient: signatory.value,
      body: request.body,
      ...marks.value,
      readDocumentsSha256: null,
      reached: accountReach(request.user),
      method: request.by ?? "authenticated",
      userId: request.user.id,
      actor: {
        kind: "user",
        id: request.user.id,
        name: request.user.full_name,
        ip: request.client.ip,
        userAgent: request.client.userAgent,
      },
      client: request.client,
    });
  });
  return act.ok ? answerSigned(deps, { envelopeId: request.envelopeId, recipientId: seen.value.id, actId: act.value }) : act;
}

/** `recipientId`: whom the page was shown for, when it is read again. */
type PageRequest = UserRequest & { readonly recipientId?: string | undefined };

/**
 * Gives the sign page of a signed-in signer. It writes nothing: `viewAsUser` notes that it was opened.
 * Errors: those of `findSignatory`.
 */
export async function readSignPage(deps: SigningDeps, request: PageRequest): Promise<Result<SignPage>> {
  const { platform } = deps;
  const aggregate = await loadEnvelope(platform.db, request.envelopeId);
  const signatory = findSignatory(aggregate, request.user, request.recipientId);
  if (!signatory.ok) return signatory;
  const recipient = signatory.value;
  const act = await findAct(platform.db, recipient.id);
  const signer = { aggregate: aggregate as EnvelopeAggregate, recipient, hasUnsealedAct: act !== null && !act.sealed };
  return success(presentSignPage(signer, { hasHsm: platform.hsm !== null }));
}

/**
 * Notes that a signed-in signer's page shows the documents, the first time.
 * Errors: those of `findSignatory`.
 */
export async function viewAsUser({ platform }: SigningDeps, request: UserRequest): Promise<Result<null>> {
  const signatory = findSignatory(await loadEnvelope(platform.db, request.envelopeId), request.user);
  if (!signatory.ok) return signatory;
  const { id: recipientId, viewedAt } = signatory.value;
  if (viewedAt === null) await recordView(platform, { envelopeId: request.envelopeId, recipientId, client: request.client });
  return success(null);
}
