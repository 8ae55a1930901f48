import { createEnvelopeRequest, failure, problem, type Result, success, type UseTemplateRequest } from "@paraphe/contracts";
import * as z from "zod/mini";
import { MissingFileError } from "../../../platform/files/file-store.ts";
import type { Platform } from "../../../platform/platform.ts";
import { createEnvelope } from "../create-envelope.ts";
import type { Actor } from "../domain/command.ts";
import type { EnvelopeAggregate } from "../load-envelope.ts";
import { fillRoles } from "./domain/fill-roles.ts";
import type { Template } from "./domain/template.ts";
import { selectTemplate } from "./store.ts";

/**
 * Makes a draft of a template: its files, the same bytes under the same hash, controlled again by the rules of the day; its fields; its message;
 * the people given for its roles.
 * Errors: `not_found`; `validation` for a role without its person; those of a new envelope.
 */
export async function useTemplate(
  platform: Platform,
  { id, actor, request }: { readonly id: string; readonly actor: Actor; readonly request: UseTemplateRequest },
): Promise<Result<EnvelopeAggregate>> {
  const template = await selectTemplate(platform.db, { id, ownerId: actor.user.id });
  if (template === null) return failure(problem("not_found"));
  const recipients = fillRoles(template.content.roles, request.people);
  if (!recipients.ok) return recipients;
  const { title, message, flow, fields, remind_every_days, proof_only } = template.content;
  const body = z.parse(createEnvelopeRequest, {
    title: request.title ?? title,
    message,
    flow,
    reminders: { every_days: remind_every_days },
    proof_only,
    recipients: recipients.value,
    fields,
  });
  const files = await readFiles(platform, template, actor);
  return files.ok ? createEnvelope(platform, { actor, request: body, files: files.value }) : files;
}

/** A template may be deleted, and its files with it, while they are read. Errors: `not_found`. */
async function readFiles(
  platform: Pick<Platform, "db" | "files">,
  { id, documents }: Template,
  { user }: Actor,
): Promise<Result<readonly { readonly name: string; readonly bytes: Uint8Array }[]>> {
  try {
    return success(await Promise.all(documents.map(async ({ name, sha256 }) => ({ name, bytes: await platform.files.get(sha256) }))));
  } catch (error) {
    const isDeleted = error instanceof MissingFileError && (await selectTemplate(platform.db, { id, ownerId: user.id })) === null;
    if (isDeleted) return failure(problem("not_found"));
    throw error;
  }
}
