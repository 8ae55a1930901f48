import {
  createEnvelopeRequest,
  failure,
  MAX_LAYOUTS,
  MAX_TEMPLATES,
  problem,
  type Result,
  type SaveLayoutRequest,
  type SaveTemplateRequest,
  success,
  type Template as TemplateAnswer,
  type UseTemplateRequest,
} from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { MissingFileError } from "../../../platform/files/file-store.ts";
import type { Platform } from "../../../platform/platform.ts";
import { emailKey, type SessionUser, takeRoom } from "../../accounts/public.ts";
import { downloadName, dropBlobs, lockBlobs } from "../../documents/public.ts";
import { holdersOf } from "../../organisations/public.ts";
import { requireOwner } from "../change-envelope.ts";
import { choosingCircuit, holdersNow } from "../circuits/circuits.ts";
import { createEnvelope } from "../create-envelope.ts";
import { searchText } from "../domain/search-text.ts";
import { type Actor } from "../domain/viewer.ts";
import { type EnvelopeAggregate, lockEnvelope } from "../store.ts";
import { requestOf, type Template, templateOf, textLabels } from "./domain/template.ts";
import { deleteMailingsOf } from "./mailing-store.ts";
import {
  countTemplates,
  deleteLayouts,
  deleteTemplateRow,
  insertLayout,
  insertTemplateRow,
  type StoredLayout,
  lockLayouts,
  lockTemplates,
  selectLayouts,
  selectTemplate,
  selectTemplateNamed,
  selectTemplates,
  updateTemplateName,
} from "./store.ts";
import { chooseTeam } from "../domain/draft-checks.ts";

/** The holder's lock is taken. Errors: `validation` on `name`. */
async function checkName(
  trx: Transaction,
  asked: { readonly holderId: string; readonly name: string; readonly exceptId: string | null },
): Promise<Result<null>> {
  const holder = await selectTemplateNamed(trx, {
    holderId: asked.holderId,
    nameKey: searchText(asked.name),
  });
  if (holder === null || holder === asked.exceptId) return success(null);
  return failure(
    problem("validation", { errors: { name: ["Un de vos modèles porte déjà ce nom"] } }),
  );
}

/**
 * Saves an own envelope's files by hash, fields, message and roles.
 * Errors: `not_found`, `not_allowed`, `too_many_templates`, `validation` on `name` or `roles`,
 * `storage_quota_reached`.
 */
export async function saveTemplate(
  platform: Platform,
  { user, request }: { readonly user: SessionUser; readonly request: SaveTemplateRequest },
): Promise<Result<Template>> {
  return inTransaction(platform.db, async (trx) => {
    // Its lock blocks a purge of its files.
    const owned = requireOwner(await lockEnvelope(trx, request.envelope), user);
    if (!owned.ok) return owned;
    const taken = templateOf(owned.value, request.roles);
    if (!taken.ok) return taken;
    const kept = taken.value;
    const team = chooseTeam(user, request.team);
    if (!team.ok) return team;
    const holderId = team.value?.id ?? user.id;
    await lockTemplates(trx, holderId);
    const count = await countTemplates(trx, holderId);
    if (count >= MAX_TEMPLATES)
      return failure(problem("too_many_templates", { params: { count } }));
    const named = await checkName(trx, { holderId, name: request.name, exceptId: null });
    if (!named.ok) return named;
    const fits = await takeRoom(trx, platform, {
      ownerId: user.id,
      bytes: kept.documents.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    });
    if (!fits.ok) return fits;
    await lockBlobs(
      trx,
      kept.documents.map((document) => document.sha256),
      "share",
    );
    const id = platform.newId();
    const now = platform.clock();
    const made = { id, ownerId: user.id, team: team.value, name: request.name, ...kept };
    await insertTemplateRow(trx, { ...made, nameKey: searchText(request.name), now });
    return success({ ...made, createdAt: now, updatedAt: now });
  });
}

/** Errors: `not_found`; `validation` on `name`. */
export async function renameTemplate(
  platform: Pick<Platform, "db" | "clock">,
  change: { readonly id: string; readonly holders: readonly string[]; readonly name: string },
): Promise<Result<Template>> {
  return inTransaction(platform.db, async (trx) => {
    const before = await selectTemplate(trx, change);
    if (before === null) return failure(problem("not_found"));
    const holderId = before.team?.id ?? before.ownerId;
    await lockTemplates(trx, holderId);
    const named = await checkName(trx, {
      holderId,
      name: change.name,
      exceptId: change.id,
    });
    if (!named.ok) return named;
    await updateTemplateName(trx, {
      ...change,
      nameKey: searchText(change.name),
      now: platform.clock(),
    });
    const renamed = await selectTemplate(trx, change);
    return renamed === null ? failure(problem("not_found")) : success(renamed);
  });
}

/** Also removes files that nothing else needs. Errors: `not_found`. */
export async function deleteTemplate(
  platform: Pick<Platform, "db" | "queue">,
  of: { readonly id: string; readonly holders: readonly string[] },
): Promise<Result<null>> {
  return inTransaction(platform.db, async (trx) => {
    const template = await selectTemplate(trx, of);
    if (template === null || !(await deleteTemplateRow(trx, of)))
      return failure(problem("not_found"));
    await dropBlobs(
      trx,
      platform,
      template.documents.map((document) => document.sha256),
    );
    return success(null);
  });
}

export function presentTemplate({
  id,
  name,
  team,
  content,
  documents,
  createdAt,
  updatedAt,
}: Template): TemplateAnswer {
  return {
    id,
    name,
    ...(team === null ? {} : { team }),
    title: content.title,
    message: content.message,
    flow: content.flow,
    document_kind: content.document_kind ?? null,
    circuit: content.circuit ? { name: content.circuit.name } : null,
    ...(content.lost_circuit === undefined ? {} : { lost_circuit: content.lost_circuit }),
    documents: documents.map((document) => ({
      name: document.name,
      size: document.sizeBytes,
      page_count: document.pageCount,
    })),
    roles: content.roles.map((role, index) => ({
      label: role.label,
      role: role.role,
      order: role.order,
      field_count: content.fields.filter((field) => field.recipient_index === index).length,
    })),
    field_count: content.fields.length,
    texts: [...textLabels(content)],
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

/**
 * The files are checked, and the circuit is chosen again.
 * Errors: `not_found`; `validation` for a role without a person; those of `createEnvelope`.
 */
export async function useTemplate(
  platform: Platform,
  {
    id,
    actor,
    request,
  }: { readonly id: string; readonly actor: Actor; readonly request: UseTemplateRequest },
): Promise<Result<EnvelopeAggregate>> {
  const template = await selectTemplate(platform.db, { id, holders: holdersOf(actor.user) });
  if (template === null) return failure(problem("not_found"));
  return draftFromTemplate(platform, { template, actor, filling: request });
}

/**
 * `link`: writes of the same transaction. Errors: those of `requestOf`, `createEnvelope` and
 * `chooseCircuit`.
 */
export async function draftFromTemplate(
  platform: Platform,
  asked: {
    readonly template: Template;
    readonly actor: Actor;
    readonly filling: Parameters<typeof requestOf>[1];
    readonly link?: NonNullable<Parameters<typeof createEnvelope>[1]["link"]>;
  },
): Promise<Result<EnvelopeAggregate>> {
  const { template, actor, filling, ...rest } = asked;
  const alone = requestOf(template, filling);
  if (!alone.ok) return alone;
  const signers = alone.value.recipients.filter(({ role }) => role === "signer");
  const choice = choiceOf(template, signers);
  const brought = await peopleBrought(platform, template, { user: actor.user, others: signers });
  if (!brought.ok) return brought;
  const filled = requestOf(template, filling, brought.value);
  if (!filled.ok) return filled;
  const request = z.parse(createEnvelopeRequest, filled.value);
  const files = await readFiles(platform, template, actor);
  if (!files.ok) return files;
  return createEnvelope(platform, {
    actor,
    request,
    files: files.value,
    ...((choice.circuit_id ?? choice.kind) === null
      ? {}
      : {
          change: (trx, envelopeId) =>
            choosingCircuit(platform, { envelopeId, actor, request: choice })(trx),
        }),
    ...rest,
  });
}

type Others = readonly { readonly email: string; readonly full_name: string }[];

const choiceOf = ({ content }: Template, others: Others) => ({
  kind: content.document_kind ?? null,
  circuit_id: content.circuit?.id ?? null,
  other_party: others.map(({ email, full_name }) => ({ email, full_name })),
});

/** Whom its circuit brings now. Errors: `validation`. */
export async function peopleBrought(
  platform: Parameters<typeof holdersNow>[0],
  template: Template,
  { user, others }: { readonly user: Actor["user"]; readonly others: Others },
): ReturnType<typeof holdersNow> {
  const { content, team } = template;
  if (!content.circuit) return success([]);
  const brought = await holdersNow(platform, { user, team, request: choiceOf(template, others) });
  if (!brought.ok) return brought;
  const named = new Set(others.map(({ email }) => emailKey(email)));
  return success(
    brought.value.filter(({ role, email }) => role !== "signer" || !named.has(emailKey(email))),
  );
}

/** Errors: `not_found` once deleted. */
async function readFiles(
  platform: Pick<Platform, "db" | "files">,
  { id, documents }: Template,
  { user }: Actor,
): Promise<Result<readonly { readonly name: string; readonly bytes: Uint8Array }[]>> {
  try {
    return success(
      await Promise.all(
        documents.map(async ({ name, sha256 }) => ({
          name,
          bytes: await platform.files.get(sha256),
        })),
      ),
    );
  } catch (error) {
    const isDeleted =
      error instanceof MissingFileError &&
      (await selectTemplate(platform.db, { id, holders: holdersOf(user) })) === null;
    if (isDeleted) return failure(problem("not_found"));
    throw error;
  }
}

/** `position`: from 0. Errors: `not_found`; `stored_file_lost`. */
export async function readTemplateFile(
  { db, files }: Pick<Platform, "db" | "files">,
  { position, ...own }: Parameters<typeof selectTemplate>[1] & { readonly position: number },
): Promise<Result<{ readonly name: string; readonly bytes: Uint8Array }>> {
  const template = await selectTemplate(db, own);
  const document = template?.documents[position];
  if (document === undefined) return failure(problem("not_found"));
  try {
    const title = document.name.replace(/\.pdf$/i, "");
    const name = downloadName({ title, signed: false, ending: "pdf" });
    return success({ name, bytes: await files.get(document.sha256) });
  } catch (error) {
    if (error instanceof MissingFileError) return failure(problem("stored_file_lost"));
    throw error;
  }
}

/** Templates of teams stay. Idempotent. */
export async function eraseOwnedTemplates(
  platform: Pick<Platform, "db" | "queue">,
  ownerId: string,
): Promise<void> {
  const holders = [ownerId];
  await deleteMailingsOf(platform.db, ownerId);
  await deleteLayouts(platform.db, { holders });
  for (const { id } of await selectTemplates(platform.db, holders))
    await deleteTemplate(platform, { id, holders });
}

/** Errors: `too_many_layouts`, `validation` on `name`. */
export async function saveLayout(
  platform: Pick<Platform, "db" | "newId" | "clock">,
  { user, request }: { readonly user: SessionUser; readonly request: SaveLayoutRequest },
): Promise<Result<StoredLayout>> {
  return inTransaction(platform.db, async (trx) => {
    const team = chooseTeam(user, request.team);
    if (!team.ok) return team;
    const holderId = team.value?.id ?? user.id;
    await lockLayouts(trx, holderId);
    const { length: count } = await selectLayouts(trx, [holderId]);
    if (count >= MAX_LAYOUTS) return failure(problem("too_many_layouts", { params: { count } }));
    const layout = {
      id: platform.newId(),
      name: request.name,
      team: team.value,
      fields: request.fields,
      createdAt: platform.clock(),
    };
    if (await insertLayout(trx, { ...layout, ownerId: user.id, nameKey: searchText(request.name) }))
      return success(layout);
    return failure(
      problem("validation", { errors: { name: ["Une de vos dispositions porte déjà ce nom"] } }),
    );
  });
}
