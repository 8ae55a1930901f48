import {
  failure,
  type FileRequest,
  MAX_DOCUMENTS,
  MAX_ENVELOPE_SIZE_BYTES,
  problem,
  type Result,
  success,
  UPLOAD_HOURS,
  type UploadAnswer,
} from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { AlteredFileError, MissingFileError } from "../../../platform/files/file-store.ts";
import type { Platform } from "../../../platform/platform.ts";
import { checkRoom, takeRoom } from "../../accounts/public.ts";
import {
  deleteUploads,
  insertUpload,
  pdfAccess,
  presentFindings,
  receiveDocument,
  selectUploads,
  storeBytes,
  type UploadedFile,
} from "../../documents/public.ts";
import { selfOf } from "../../organisations/public.ts";
import type { Actor } from "../domain/viewer.ts";
import { limitAction } from "../change-envelope.ts";

type Sent = { readonly actor: Actor; readonly file: UploadedFile };

/**
 * Stores a PDF ahead of its envelope, for a day.
 * Errors: those of `receiveDocument`; `storage_quota_reached`, `storage_full`, `too_many_requests`.
 */
export async function storeUpload(
  platform: Platform,
  { actor, file }: Sent,
): Promise<Result<UploadAnswer>> {
  const limited = await limitAction(platform, { kind: "upload", id: actor.user.id });
  if (!limited.ok) return limited;
  const room = { ownerId: actor.user.id, bytes: file.bytes.length };
  const fits = await checkRoom(platform, room);
  if (!fits.ok) return fits;
  const received = await receiveDocument(pdfAccess(platform, { actor, haste: "patient" }), file);
  if (!received.ok) return received;
  const stored = await storeBytes(platform, [file.bytes]);
  if (!stored.ok) return stored;
  const { name, sha256, pageCount, control } = received.value;
  const expiresAt = new Date(platform.clock().getTime() + UPLOAD_HOURS * 3_600_000);
  const upload = { id: platform.newId(), name, sha256, sizeBytes: file.bytes.length, expiresAt };
  return inTransaction<Result<UploadAnswer>>(platform.db, async (trx) => {
    const taken = await takeRoom(trx, platform, room);
    if (!taken.ok) return taken;
    await insertUpload(trx, platform, {
      ...upload,
      ownerId: actor.user.id,
      holderId: selfOf(actor.user),
      bytes: file.bytes,
    });
    return success({
      id: upload.id,
      name,
      size: upload.sizeBytes,
      sha256: toHex(sha256),
      page_count: pageCount,
      control: { result: control.result, findings: [...presentFindings(control.findings)] },
      expires_at: expiresAt.toISOString(),
    });
  });
}

type Named = {
  readonly actor: Actor;
  readonly files: readonly FileRequest[];
  /** False when the process has no memory for so many bytes. */
  readonly hasRoom: (bytes: number) => boolean;
};

/**
 * Decodes the files of a JSON body, and reads those sent ahead.
 * Errors: `envelope_too_large`; `validation`; `service_unavailable`; `stored_file_lost`.
 */
export async function openFiles(
  platform: Platform,
  { actor, files, hasRoom }: Named,
): Promise<Result<readonly UploadedFile[]>> {
  if (files.length > MAX_DOCUMENTS) return failure(problem("envelope_too_large"));
  const asked = files.flatMap((file) => ("upload_id" in file ? [file.upload_id] : []));
  const uploads = await selectUploads(platform.db, ofHolder(platform, actor, asked));
  const bytes = [...uploads.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (bytes > MAX_ENVELOPE_SIZE_BYTES) return failure(problem("envelope_too_large"));
  if (bytes > 0 && !hasRoom(bytes)) return failure(problem("service_unavailable"));
  const opened: UploadedFile[] = [];
  for (const [index, file] of files.entries()) {
    if ("content" in file) {
      const decoded = decodeBase64(file.content);
      if (decoded === null) return invalid(`files.${index}.content`, NOT_BASE64);
      opened.push({ name: file.name, bytes: decoded });
      continue;
    }
    const upload = uploads.get(file.upload_id);
    if (upload === undefined) return invalid(`files.${index}.upload_id`, GONE);
    if (opened.some(({ uploadId }) => uploadId === upload.id))
      return invalid(`files.${index}.upload_id`, "Ce fichier est donné deux fois");
    const read = await readUpload(platform, upload.sha256);
    if (!read.ok) return read;
    opened.push({ name: file.name ?? upload.name, bytes: read.value, uploadId: upload.id });
  }
  return success(opened);
}

export const NOT_BASE64 =
  "Base64 invalide\u00a0: RFC 4648 §4, complété par «\u00a0=\u00a0», sans retour à la ligne ni «\u00a0data:…,\u00a0» devant";
const GONE = "Fichier inconnu, déjà utilisé ou expiré\u00a0: envoyez-le de nouveau";

/** In the transaction that uses them. Errors: `validation` for one used or expired meanwhile. */
export async function takeUploads(
  trx: Transaction,
  platform: Pick<Platform, "clock">,
  { actor, files }: { readonly actor: Actor; readonly files: readonly UploadedFile[] },
): Promise<Result<null>> {
  const ids = files.flatMap(({ uploadId }) => (uploadId === undefined ? [] : [uploadId]));
  if (ids.length === 0) return success(null);
  const uploads = await selectUploads(trx, ofHolder(platform, actor, ids));
  const gone = files.findIndex(({ uploadId }) => uploadId !== undefined && !uploads.has(uploadId));
  if (gone !== -1) return invalid(`files.${gone}.upload_id`, GONE);
  await deleteUploads(trx, ids);
  return success(null);
}

/** What an envelope's files add to the account: those sent ahead are counted already. */
export const addedBytes = (files: readonly UploadedFile[]): number =>
  files.reduce((sum, { bytes, uploadId }) => sum + (uploadId === undefined ? bytes.length : 0), 0);

function ofHolder({ clock }: Pick<Platform, "clock">, { user }: Actor, ids: readonly string[]) {
  return { holderId: selfOf(user), ids, now: clock() };
}

async function readUpload(
  { files }: Pick<Platform, "files">,
  sha256: Uint8Array,
): Promise<Result<Uint8Array>> {
  try {
    return success(await files.get(sha256));
  } catch (error) {
    if (error instanceof MissingFileError || error instanceof AlteredFileError)
      return failure(problem("stored_file_lost"));
    throw new Error("An upload could not be read", { cause: error });
  }
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export function decodeBase64(content: string): Uint8Array | null {
  const isWhole = content.length % 4 === 0 && BASE64.test(content);
  return isWhole ? new Uint8Array(Buffer.from(content, "base64")) : null;
}

function invalid(path: string, message: string) {
  return failure(problem("validation", { errors: { [path]: [message] } }));
}
