import { failure, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { searchText } from "../domain/search-text.ts";
import { checkName } from "./check-name.ts";
import type { Template } from "./domain/template.ts";
import { lockTemplates, selectTemplate, updateTemplateName } from "./store.ts";

/** Gives a template another name. Errors: `not_found`; `validation` on `name`, when another has it. */
export async function renameTemplate(
  platform: Pick<Platform, "db" | "clock">,
  change: { readonly id: string; readonly ownerId: string; readonly name: string },
): Promise<Result<Template>> {
  return inTransaction(platform.db, async (trx) => {
    await lockTemplates(trx, change.ownerId);
    if ((await selectTemplate(trx, change)) === null) return failure(problem("not_found"));
    const named = await checkName(trx, { ownerId: change.ownerId, name: change.name, exceptId: change.id });
    if (!named.ok) return named;
    await updateTemplateName(trx, { ...change, nameKey: searchText(change.name), now: platform.clock() });
    const renamed = await selectTemplate(trx, change);
    return renamed === null ? failure(problem("not_found")) : success(renamed);
  });
}
