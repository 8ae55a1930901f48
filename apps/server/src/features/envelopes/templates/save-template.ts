import { failure, MAX_TEMPLATES, problem, type Result, type SaveTemplateRequest, success } from "@paraphe/contracts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { type SessionUser, takeRoom } from "../../accounts/public.ts";
import { lockBlobs } from "../../documents/public.ts";
import { requireOwner } from "../change-envelope.ts";
import { searchText } from "../domain/search-text.ts";
import { lockEnvelope } from "../lock-envelope.ts";
import { checkName } from "./check-name.ts";
import { nameRoles } from "./domain/name-roles.ts";
import type { Template } from "./domain/template.ts";
import { templateOf } from "./domain/template-of.ts";
import { countTemplates, insertTemplateRow, lockTemplates } from "./store.ts";

/**
 * Keeps an envelope of one's own, in any state, as a template: the same files by their hash, fields, message, roles in the place of people.
 * Errors: `not_found` for a stranger, `not_allowed` for one of its recipients, `too_many_templates`, `validation` on `name` or `roles`;
 * `storage_quota_reached`.
 */
export async function saveTemplate(
  platform: Platform,
  { user, request }: { readonly user: SessionUser; readonly request: SaveTemplateRequest },
): Promise<Result<Template>> {
  return inTransaction(platform.db, async (trx) => {
    // Under the envelope's lock no purge can take its files away.
    const owned = requireOwner(await lockEnvelope(trx, request.envelope), user);
    if (!owned.ok) return owned;
    const roles = nameRoles(owned.value.recipients, request.roles);
    if (!roles.ok) return roles;
    await lockTemplates(trx, user.id);
    const count = await countTemplates(trx, user.id);
    if (count >= MAX_TEMPLATES) return failure(problem("too_many_templates", { params: { count } }));
    const named = await checkName(trx, { ownerId: user.id, name: request.name, exceptId: null });
    if (!named.ok) return named;
    const kept = templateOf(owned.value, roles.value);
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
    await insertTemplateRow(trx, { id, ownerId: user.id, name: request.name, nameKey: searchText(request.name), ...kept, now });
    return success({ id, name: request.name, ...kept, createdAt: now, updatedAt: now });
  });
}
