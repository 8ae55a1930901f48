import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../../platform/database/database.ts";
import { searchText } from "../domain/search-text.ts";
import { selectTemplateNamed } from "./store.ts";

/** Checks, under the account's lock, that no other template has this name. Errors: `validation` on `name`. */
export async function checkName(
  trx: Transaction,
  asked: { readonly ownerId: string; readonly name: string; readonly exceptId: string | null },
): Promise<Result<null>> {
  const holder = await selectTemplateNamed(trx, { ownerId: asked.ownerId, nameKey: searchText(asked.name) });
  if (holder === null || holder === asked.exceptId) return success(null);
  return failure(problem("validation", { errors: { name: ["Un de vos modèles porte déjà ce nom"] } }));
}
