import { failure, problem, type Result, success } from "@paraphe/contracts";
import { MissingFileError } from "../../platform/files/file-store.ts";
import type { Platform } from "../../platform/platform.ts";
import { requireOwner } from "./change-envelope.ts";
import { createEnvelope } from "./create-envelope.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { duplicateOf } from "./domain/duplicate-of.ts";
import { type EnvelopeAggregate, loadEnvelope } from "./load-envelope.ts";
import type { UploadedFile } from "./receive-files.ts";

/**
 * Makes a draft of an envelope in any state: its files as they came, controlled again by the rules of the day; its people, fields and settings.
 * Errors: `not_found` for a stranger, `not_allowed` for one of its recipients; those of a new envelope.
 */
export async function duplicateEnvelope(platform: Platform, { envelopeId, actor }: EnvelopeCommand): Promise<Result<EnvelopeAggregate>> {
  const source = requireOwner(await loadEnvelope(platform.db, envelopeId), actor.user);
  if (!source.ok) return source;
  const files = await readOriginals(platform, source.value);
  if (!files.ok) return files;
  return createEnvelope(platform, { actor, request: duplicateOf(source.value), files: files.value, copyOf: envelopeId });
}

/** An envelope may be purged, and its files with it, while they are read. Errors: `not_found`. */
async function readOriginals(
  platform: Pick<Platform, "db" | "files">,
  { envelope, documents }: EnvelopeAggregate,
): Promise<Result<readonly UploadedFile[]>> {
  try {
    const read = documents.map(async ({ name, original }) => ({ name, bytes: await platform.files.get(original.sha256) }));
    return success(await Promise.all(read));
  } catch (error) {
    if (error instanceof MissingFileError && (await loadEnvelope(platform.db, envelope.id)) === null) return failure(problem("not_found"));
    throw error;
  }
}
