import { toBase64 } from "@paraphe/kernel/bytes";
import {
  type ChangeSignatureRequest,
  MAX_SAVED_SIGNATURES,
  MAX_SIGNATURE_IMAGE_BYTES,
  type NewMark,
  type Problem,
  type Result,
  type SaveSignatureRequest,
  type SavedSignature as SavedSignatureAnswer,
  type SignRequest,
  type SignatureMark,
  failure,
  problem,
  problemSentence,
  success,
} from "@paraphe/contracts";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { loadPrintableCharacters } from "../../../platform/fonts/load-fonts.ts";
import { forgetAnswers } from "../../../platform/idempotency/store.ts";
import type { ImageSandbox } from "../../../platform/images/create-image-sandbox.ts";
import type { Platform } from "../../../platform/platform.ts";
import type { SecretBox } from "../../../platform/secrets/secret-box.ts";
import { limitRate } from "../../../platform/throttle/throttle.ts";
import { takeRoom } from "../../accounts/public.ts";
import { type StoredMark, storedMarkSchema } from "../seal/store.ts";
import { type SavedSignature, strokesSvg, textSvg } from "./domain/saved-signature.ts";
import {
  type OwnId,
  type StoredSignature,
  clearDefault,
  deleteSignature,
  insertSignature,
  lockSignatures,
  selectSignature,
  selectSignatures,
  updateSignature,
} from "./store.ts";

/** Encrypts under the master key, bound to owner and id. */
function wrapMark(
  secrets: SecretBox,
  of: { readonly id: string; readonly userId: string },
  mark: StoredMark,
): Uint8Array {
  return secrets.wrap(new TextEncoder().encode(JSON.stringify(mark)), context(of));
}

/** Throws on an altered byte, or another owner or id. */
function unwrapMark(
  secrets: SecretBox,
  of: { readonly id: string; readonly userId: string },
  wrapped: Uint8Array,
): StoredMark {
  return storedMarkSchema.parse(
    JSON.parse(new TextDecoder().decode(secrets.unwrap(wrapped, context(of)))),
  );
}

function context({ id, userId }: { readonly id: string; readonly userId: string }): string {
  return `saved-signature:${userId}:${id}`;
}

/** Each request may bring a picture to decode. */
const HOURLY = { limit: 200, windowS: 3_600 };
const NAMELESS = "Signature";

type Saving = { readonly userId: string; readonly request: SaveSignatureRequest };
type SavedWithMark = SavedSignature & { readonly mark: StoredMark };

/** The account's first signature becomes the default. */
export async function saveSignature(
  platform: Platform,
  { userId, request }: Saving,
): Promise<Result<SavedWithMark>> {
  const full = failure(
    problem("too_many_saved_signatures", { params: { count: MAX_SAVED_SIGNATURES } }),
  );
  if ((await selectSignatures(platform.db, userId)).length >= MAX_SAVED_SIGNATURES) return full;
  const limited = await limitSaving(platform, userId);
  if (!limited.ok) return limited;
  const mark = await readMarkToSave(platform, request);
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
    platform.log.info(
      { userId, savedSignatureId: id, kind: request.kind },
      "a saved signature was added",
    );
    return success({ ...stored, mark: mark.value });
  });
}

async function readMarkToSave(
  platform: Platform,
  request: SaveSignatureRequest,
): Promise<Result<StoredMark>> {
  const background =
    "remove_background" in request && request.remove_background ? "remove" : "keep";
  const mark = await readNewMark(platform.images, newMarkOf(request), background);
  if (!mark.ok || mark.value.kind !== "typed") return mark;
  const character = (await loadPrintableCharacters()).firstMissingInHand(
    mark.value.text,
    mark.value.hand,
  );
  return character === null
    ? mark
    : failure(problem("unsupported_character", { params: { character } }));
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

function limitSaving(platform: Platform, userId: string): Promise<Result<null>> {
  return limitRate(platform, { key: `saved-signature ${userId}`, ...HOURLY });
}

/** Errors: `not_found`. */
export async function changeSignature(
  platform: Platform,
  own: OwnId,
  { name, is_default: isDefault }: ChangeSignatureRequest,
): Promise<Result<SavedWithMark>> {
  return inTransaction(platform.db, async (trx) => {
    await lockSignatures(trx, own.userId);
    const kept = await selectSignature(trx, own);
    if (kept === null) return failure(problem("not_found"));
    if (isDefault === true) await clearDefault(trx, own.userId);
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(isDefault === undefined ? {} : { is_default: isDefault }),
    };
    await updateSignature(trx, own, change);
    platform.log.info(
      { userId: own.userId, savedSignatureId: own.id, changed: Object.keys(change) },
      "a saved signature was changed",
    );
    const mark = unwrapMark(platform.secrets, own, kept.markWrapped);
    return success({
      ...kept,
      mark,
      name: name ?? kept.name,
      isDefault: isDefault ?? kept.isDefault,
    });
  });
}

/** The newest one left becomes the default. Signed documents do not change. Errors: `not_found`. */
export async function removeSignature(platform: Platform, own: OwnId): Promise<Result<null>> {
  return inTransaction(platform.db, async (trx) => {
    await lockSignatures(trx, own.userId);
    const kept = await selectSignature(trx, own);
    if (kept === null) return failure(problem("not_found"));
    await deleteSignature(trx, own);
    await forgetAnswers(trx, own.id);
    const [next] = await selectSignatures(trx, own.userId);
    if (kept.isDefault && next !== undefined)
      await updateSignature(trx, { ...own, id: next.id }, { is_default: true });
    platform.log.info(
      { userId: own.userId, savedSignatureId: own.id },
      "a saved signature was deleted",
    );
    return success(null);
  });
}

/** The default comes first, then the newest. */
export async function listSignatures(
  { db, secrets }: { readonly db: Reader; readonly secrets: SecretBox },
  userId: string,
): Promise<readonly SavedWithMark[]> {
  const kept = await selectSignatures(db, userId);
  return kept.map((signature) => ({
    ...signature,
    mark: unwrapMark(secrets, { id: signature.id, userId }, signature.markWrapped),
  }));
}

export const SAVED_SIGNATURES = "/api/signature/saved-signatures/";

/** Strokes are included; a picture has its own address. */
export function presentSignature({
  id,
  name,
  kind,
  isDefault,
  createdAt,
  lastUsedAt,
  mark,
}: SavedWithMark): SavedSignatureAnswer {
  return {
    id,
    name,
    kind,
    image: `${SAVED_SIGNATURES}${id}/image/`,
    is_default: isDefault,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
    text: mark.kind === "typed" ? mark.text : null,
    font: mark.kind === "typed" ? mark.hand : null,
  };
}

export function pictureOf(mark: StoredMark): {
  readonly type: "image/svg+xml" | "image/png";
  readonly bytes: Uint8Array;
} {
  if (mark.kind === "image")
    return { type: "image/png", bytes: new Uint8Array(Buffer.from(mark.png_base64, "base64")) };
  const svg = mark.kind === "strokes" ? strokesSvg(mark.strokes) : textSvg(mark);
  return { type: "image/svg+xml", bytes: new TextEncoder().encode(svg) };
}

/** Errors: `not_found`, also for another account's. */
export async function findSavedSignature(
  { db, secrets }: { readonly db: Reader; readonly secrets: SecretBox },
  own: OwnId,
): Promise<Result<SavedWithMark>> {
  const kept = await selectSignature(db, own);
  return kept === null
    ? failure(problem("not_found"))
    : success({ ...kept, mark: unwrapMark(secrets, own, kept.markWrapped) });
}

async function noteSignatureUse(trx: Transaction, own: OwnId, now: Date): Promise<void> {
  await updateSignature(trx, own, { last_used_at: now });
}

/** Idempotent. */
export async function eraseSavedSignatures(trx: Transaction, userId: string): Promise<void> {
  await lockSignatures(trx, userId);
  for (const { id } of await selectSignatures(trx, userId)) {
    await deleteSignature(trx, { id, userId });
    await forgetAnswers(trx, id);
  }
}

const MAX_STROKE_POINTS = 20_000;
/** 5 cm at 600 dpi: more only enlarges signed documents. */
const KEPT_IMAGE_SIDE_PX = 1_200;

/**
 * Limits a mark to what sealing can draw.
 * Shape: images are known by content, decoded in their own process and re-encoded as PNG without
 * metadata (security line 53).
 * Errors: `validation`, `invalid_image`, `image_too_large`, `image_file_too_large`,
 * `service_unavailable`.
 */
export async function readNewMark(
  images: ImageSandbox,
  mark: NewMark,
  background: "keep" | "remove" = "keep",
): Promise<Result<StoredMark>> {
  switch (mark.kind) {
    case "typed":
      return success({ kind: "typed", text: mark.text, hand: mark.font });
    case "drawn":
      return mark.strokes === undefined
        ? readImage(images, { dataUrl: mark.image ?? "", background })
        : readStrokes(mark.strokes);
    case "uploaded":
      return readImage(images, { dataUrl: mark.image, background });
  }
}

type Strokes = Extract<StoredMark, { kind: "strokes" }>["strokes"];

function readStrokes(strokes: Strokes): Result<StoredMark> {
  const points = strokes.flat();
  if (points.length > MAX_STROKE_POINTS)
    return failure(refused("Le dessin compte trop de points. Effacez-le, puis recommencez."));
  const [first] = points;
  const isDrawn = points.some(([x, y]) => x !== first?.[0] || y !== first?.[1]);
  return isDrawn
    ? success({ kind: "strokes", strokes })
    : failure(refused("Dessinez votre signature"));
}

async function readImage(
  images: ImageSandbox,
  { dataUrl, background }: { readonly dataUrl: string; readonly background: "keep" | "remove" },
): Promise<Result<StoredMark>> {
  const bytes = new Uint8Array(Buffer.from(dataUrl.slice(dataUrl.indexOf(",") + 1), "base64"));
  if (bytes.length > MAX_SIGNATURE_IMAGE_BYTES) return failure(problem("image_file_too_large"));
  const png = await images.reencode(bytes, {
    maximumSidePx: KEPT_IMAGE_SIDE_PX,
    format: "png",
    background,
  });
  return png.ok ? success({ kind: "image", png_base64: toBase64(png.value) }) : png;
}

function refused(message: string): Problem {
  return problem("validation", { errors: { signature: [message] } });
}

type Form = {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly { readonly field: string; readonly bytes: Uint8Array }[];
};
const BOOLEANS = new Set(["is_default", "remove_background"]);

/** A form has strokes as JSON, the file as `image`, and booleans as words. Errors: `validation`. */
export function readSignatureForm({ fields, files }: Form): Result<Record<string, unknown>> {
  const body: Record<string, unknown> = { kind: "uploaded", ...fields };
  for (const name of BOOLEANS) {
    if (body[name] === "true" || body[name] === "false") body[name] = body[name] === "true";
  }
  if (fields["strokes"] !== undefined) {
    const strokes = readJson(fields["strokes"]);
    if (strokes === undefined)
      return failure(problem("validation", { errors: { strokes: ["Tracé illisible"] } }));
    body["strokes"] = strokes;
  }
  const stray = files.find((file) => file.field !== "image");
  if (stray !== undefined)
    return failure(problem("validation", { errors: { [stray.field]: ["Champ inconnu"] } }));
  const [file, second] = files;
  if (second !== undefined)
    return failure(problem("validation", { errors: { image: ["Une seule image"] } }));
  // The content decides, not the declared type.
  if (file !== undefined) body["image"] = `data:image/png;base64,${toBase64(file.bytes)}`;
  return success(body);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A mark, with what the journal records of it. */
export type ReadMark = { readonly mark: StoredMark; readonly evidence: MarkEvidence };
type ReadMarks = ReadMark & { readonly initials: StoredMark | null };
/** `saved_signature`, `saved_initials`: the signer's own; `batch`: under the batch's consent. */
export type MarkEvidence = {
  readonly mark: SignatureMark["kind"];
  readonly saved_signature?: string;
  readonly initials?: SignatureMark["kind"];
  readonly saved_initials?: string;
  readonly batch?: string;
};
type Signer = {
  readonly platform: Pick<Platform, "db" | "secrets" | "images">;
  readonly userId: string | null;
};

/**
 * Reads a mark made for this request, or saved by this user.
 * Errors: those of `readNewMark`; `not_found` for another's, or a guest's.
 */
export async function readMark(
  { platform, userId }: Signer,
  asked: SignatureMark,
): Promise<Result<ReadMark>> {
  if (asked.kind !== "saved") {
    const made = await readNewMark(platform.images, asked);
    return made.ok ? success({ mark: made.value, evidence: { mark: asked.kind } }) : made;
  }
  if (userId === null) return failure(problem("not_found"));
  const kept = await findSavedSignature(platform, { id: asked.saved_signature_id, userId });
  return kept.ok
    ? success({
        mark: kept.value.mark,
        evidence: { mark: "saved", saved_signature: kept.value.id },
      })
    : kept;
}

type AskedMarks = Pick<SignRequest, "signature" | "initials">;

/** Errors: those of `readMark`, the initials' under `initials`. */
export async function readMarks(
  signer: Signer,
  { signature, initials }: AskedMarks,
): Promise<Result<ReadMarks>> {
  const mark = await readMark(signer, signature);
  if (!mark.ok) return mark;
  if (initials === undefined) return success({ ...mark.value, initials: null });
  const own = await readMark(signer, initials);
  if (!own.ok) return failure(ofInitials(own.error));
  const { mark: kind, saved_signature } = own.value.evidence;
  const said = {
    initials: kind,
    ...(saved_signature === undefined ? {} : { saved_initials: saved_signature }),
  };
  return success({
    ...mark.value,
    initials: own.value.mark,
    evidence: { ...mark.value.evidence, ...said },
  });
}

export function ofInitials(refusal: Problem): Problem {
  const { errors } = refusal;
  return {
    ...refusal,
    errors: {
      initials: errors === undefined ? [problemSentence(refusal)] : Object.values(errors).flat(),
    },
  };
}

export async function noteMarkUse(
  trx: Transaction,
  {
    userId,
    evidence,
    now,
  }: { readonly userId: string | null; readonly evidence: MarkEvidence; readonly now: Date },
): Promise<void> {
  const used = new Set([evidence.saved_signature, evidence.saved_initials]);
  for (const id of used)
    if (userId !== null && id !== undefined) await noteSignatureUse(trx, { id, userId }, now);
}
