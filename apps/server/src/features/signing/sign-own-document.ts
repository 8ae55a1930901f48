import { CONSENT_VERSION, failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { together } from "../../platform/database/together.ts";
import { loadPrintableCharacters } from "../../platform/fonts/printable-characters.ts";
import { checkRoom, type Room, takeRoom } from "../accounts/public.ts";
import { documentsDigest } from "../documents/public.ts";
import { type EnvelopeAggregate, insertOwnEnvelope, loadEnvelope, type OwnEnvelope, pdfAccess } from "../envelopes/public.ts";
import { appendEvents, requestCheckpoint } from "../journal/public.ts";
import type { KeptMark } from "./seal/act-content.ts";
import { certifiedAccountEmail } from "./seal/certified-email.ts";
import { recordAct } from "./seal/record-act.ts";
import { TimestampUnavailableError } from "../trust/public.ts";
import { commitCompletedOwn, completeOwnDocument, copyAcceptance } from "./complete-own-document.ts";
import type { SigningDeps } from "./create-signing.ts";
import { type OwnDocument, type PlacedDocument, placeOwnDocument, storePrepared } from "./prepare-own-document.ts";
import { noteMarkUse } from "./note-mark-use.ts";
import { accountReach } from "./record-consent.ts";
import type { ReadMark } from "./read-mark.ts";
import { writeOwnFields } from "./write-own-fields.ts";

/** How a person signs what is theirs: one document, or many at once. */
export type OwnMethod = "self" | "bulk";
export type OwnMark = ReadMark;
export type OwnSigning = OwnDocument & ReadMark & { readonly method: OwnMethod };

/**
 * Signs a PDF of one's own: an envelope of the owner's, completed at B-LTA, that nobody else is told of.
 * It is signed and proven before a row is written, and one transaction writes it all: a process that dies leaves nothing.
 * Without a time-stamp the consent is recorded with its sealing job, as anybody else's is: nothing is lost.
 * Errors: those of `writeOwnFields`, `placeOwnDocument` and `completeOwnDocument`; `unsupported_character` of a typed mark; `timestamp_unavailable` (the signature follows);
 * `storage_quota_reached`.
 */
export async function signOwnDocument(deps: SigningDeps, signing: OwnSigning): Promise<Result<EnvelopeAggregate>> {
  const { platform } = deps;
  const printable = await checkMark(signing.mark);
  if (printable !== null) return failure(printable);
  const { full_name: signerName } = signing.actor.user;
  const fits = await checkRoom(platform, roomOf(signing));
  if (!fits.ok) return fits;
  const written = await writeOwnFields({ fields: signing.written ?? [], signerName, signedAt: platform.clock() });
  if (!written.ok) return written;
  const access = pdfAccess(platform, { actor: signing.actor, haste: "urgent" });
  const placed = await placeOwnDocument(access, { ...signing, written: written.value });
  if (!placed.ok) return placed;
  try {
    const done = await signAtOnce(deps, signing, placed.value);
    if (!done.ok) return done;
  } catch (error) {
    if (!(error instanceof TimestampUnavailableError)) throw error;
    return signLater(deps, signing, placed.value);
  }
  const aggregate = await loadEnvelope(platform.db, placed.value.id);
  if (aggregate === null) throw new Error("An envelope of one's own went as it was signed");
  return success(aggregate);
}

async function signAtOnce(deps: SigningDeps, signing: OwnSigning, placed: PlacedDocument): Promise<Result<null>> {
  const { platform, sealing } = deps;
  const { user } = signing.actor;
  const now = platform.clock();
  const issued = await sealing.trust.issueSigner({ fullName: user.full_name, email: certifiedAccountEmail(user), now });
  const { mark, evidence, method } = signing;
  const [completed] = await Promise.all([
    completeOwnDocument(sealing, { placed, mark, evidence, agreed: { consentedAt: now, copyAcceptedAt: null }, issued }),
    platform.files.put(placed.document.bytes),
  ]);
  if (!completed.ok) return completed;
  return inTransaction(platform.db, async (trx) => {
    const fits = await takeRoom(trx, platform, roomOf(signing));
    if (!fits.ok) return fits;
    await together([
      commitCompletedOwn(trx, sealing, [{ actId: platform.newId(), method, completed: completed.value }]),
      noteMarkUse(trx, { userId: user.id, evidence, now }),
      requestCheckpoint(trx, platform),
    ]);
    return success(null);
  });
}

function roomOf({ actor, file }: OwnSigning): Room {
  return { ownerId: actor.user.id, bytes: file.bytes.length };
}

/** The consent is committed with the job that seals it, which tries again until a time-stamp can be had; the answer says so. */
async function signLater(deps: SigningDeps, signing: OwnSigning, placed: PlacedDocument): Promise<Result<never>> {
  const { platform } = deps;
  const prepared = await storePrepared(pdfAccess(platform, { actor: signing.actor, haste: "urgent" }), placed);
  if (!prepared.ok) return prepared;
  const own = prepared.value;
  const committed = await inTransaction(platform.db, async (trx) => {
    const fits = await takeRoom(trx, platform, roomOf(signing));
    if (fits.ok) await commitOwnDocument(trx, deps, { ...signing, own });
    return fits;
  });
  if (!committed.ok) return committed;
  return failure(problem("timestamp_unavailable", { retryAfterS: 30, extensions: { envelope_id: own.id } }));
}

/** Gives why a mark cannot be drawn, or null: sealing it would never succeed. */
export async function checkMark(mark: KeptMark): Promise<Problem | null> {
  if (mark.kind !== "typed") return null;
  const character = (await loadPrintableCharacters()).firstMissingInHand(mark.text, mark.hand);
  return character === null ? null : problem("unsupported_character", { params: { character } });
}

/** Writes a prepared document's envelope with its owner's consent and the job that seals it. */
async function commitOwnDocument(
  trx: Transaction,
  { platform }: SigningDeps,
  { own, mark, evidence, method }: ReadMark & { readonly own: OwnEnvelope; readonly method: OwnMethod },
): Promise<void> {
  const { user, client } = own.actor;
  const signedAt = platform.clock();
  const original = { number: 0, kind: "original", sha256: (own.copy ?? own.document).sha256, sizeBytes: 0 } as const;
  const documentsSha256 = documentsDigest([{ id: own.documentId, position: 1, original }]);
  const created = await insertOwnEnvelope(trx, platform, own);
  await together([
    appendEvents(trx, platform, [
      created,
      {
        envelopeId: created.envelopeId,
        actor: created.actor,
        action: "consent_given",
        detail: {
          consent_version: CONSENT_VERSION,
          method,
          documents_sha256: Buffer.from(documentsSha256).toString("hex"),
          recipient: own.recipientId,
          ...accountReach(user),
          ...copyAcceptance(own, { consentedAt: signedAt, copyAcceptedAt: null }),
          ...evidence,
        },
      },
    ]),
    recordAct(trx, platform, {
      id: platform.newId(),
      envelopeId: own.id,
      recipientId: own.recipientId,
      userId: user.id,
      method,
      consentVersion: CONSENT_VERSION,
      documentsSha256,
      bodySha256: null,
      content: { fields: own.fields.filter(({ type }) => type !== "signature").map(({ id, value }) => ({ id, value })), mark },
      ip: client.ip,
      userAgent: client.userAgent,
      signedAt,
    }),
    noteMarkUse(trx, { userId: user.id, evidence, now: signedAt }),
  ]);
}
