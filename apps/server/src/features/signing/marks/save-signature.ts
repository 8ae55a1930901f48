import { failure, MAX_SAVED_SIGNATURES, type NewMark, problem, type Result, type SaveSignatureRequest, success } from "@paraphe/contracts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { loadPrintableCharacters } from "../../../platform/fonts/printable-characters.ts";
import type { Platform } from "../../../platform/platform.ts";
import { hitThrottle } from "../../../platform/throttle/throttle.ts";
import { takeRoom } from "../../accounts/public.ts";
import type { KeptMark } from "../seal/act-content.ts";
import type { SavedSignature } from "./domain/saved-signature.ts";
import { readNewMark } from "./read-new-mark.ts";
import { clearDefault, insertSignature, lockSignatures, selectSignatures, type StoredSignature } from "./store.ts";
import { wrapMark } from "./wrapped-mark.ts";

/** Each may be a picture to decode. */
const HOURLY = { limit: 200, windowS: 3_600 };
const NAMELESS = "Signature";

export type Saving = { readonly userId: string; readonly request: SaveSignatureRequest };
export type SavedWithMark = SavedSignature & { readonly mark: KeptMark };

/**
 * Keeps a signature: strokes as vectors, a name in a hand, or a picture written anew. The first one is the default.
 * Errors: those of `readNewMark`; `unsupported_character`; `too_many_saved_signatures`; `too_many_requests`; `storage_quota_reached`.
 */
export async function saveSignature(platform: Platform, { userId, request }: Saving): Promise<Result<SavedWithMark>> {
  const full = failure(problem("too_many_saved_signatures", { params: { count: MAX_SAVED_SIGNATURES } }));
  if ((await selectSignatures(platform.db, userId)).length >= MAX_SAVED_SIGNATURES) return full;
  const limited = await limitSaving(platform, userId);
  if (!limited.ok) return limited;
  const mark = await readMark(platform, request);
  if (!mark.ok) return mark;
  const id = platform.newId();
  const markWrapped = wrapMark(platform.secrets, { id, userId }, mark.value);
  return inTransaction(platform.db, async (trx) => {
    await lockSignatures(trx, userId);
    const kept = await selectSignatures(trx, userId);
    if (kept.length >= MAX_SAVED_SIGNATURES) return full;
    const fits = await takeRoom(trx, platform, { ownerId: userId, bytes: markWrapped.length });
    if (!fits.ok) return fits;
    const isDefault = request.is_default || kept.length === 0;
    if (isDefault) await clearDefault(trx, userId);
    const stored: StoredSignature = {
      id,
      name: request.name ?? NAMELESS,
      kind: request.kind,
      markWrapped,
      isDefault,
      createdAt: platform.clock(),
      lastUsedAt: null,
    };
    await insertSignature(trx, userId, stored);
    platform.log.info({ userId, savedSignatureId: id, kind: request.kind }, "a saved signature was added");
    return success({ ...stored, mark: mark.value });
  });
}

async function readMark(platform: Platform, request: SaveSignatureRequest): Promise<Result<KeptMark>> {
  const background = "remove_background" in request && request.remove_background ? "remove" : "keep";
  const mark = await readNewMark(platform.images, newMarkOf(request), background);
  if (!mark.ok || mark.value.kind !== "typed") return mark;
  const character = (await loadPrintableCharacters()).firstMissingInHand(mark.value.text, mark.value.hand);
  return character === null ? mark : failure(problem("unsupported_character", { params: { character } }));
}

function newMarkOf(request: SaveSignatureRequest): NewMark {
  if (request.kind === "typed") return { kind: "typed", text: request.text, font: request.font };
  if (request.kind === "uploaded") return { kind: "uploaded", image: request.image };
  return {
    kind: "drawn",
    ...(request.strokes === undefined ? {} : { strokes: request.strokes }),
    ...(request.image === undefined ? {} : { image: request.image }),
  };
}

async function limitSaving({ db, settings, clock }: Platform, userId: string): Promise<Result<null>> {
  if (settings.rateLimits === "off") return success(null);
  const { allowed, retryAfterS } = await hitThrottle(db, { key: `saved-signature ${userId}`, ...HOURLY, now: clock() });
  return allowed ? success(null) : failure(problem("too_many_requests", { retryAfterS }));
}
