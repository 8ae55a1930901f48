import { failure, MAX_LAYOUTS, problem, type Result, type SaveLayoutRequest, success } from "@paraphe/contracts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { searchText } from "../domain/search-text.ts";
import { insertLayout, type KeptLayout, lockLayouts, selectLayouts } from "./layout-store.ts";

/** Keeps where fields stand. Errors: `too_many_layouts`, `validation` on `name`. */
export async function saveLayout(
  platform: Pick<Platform, "db" | "newId" | "clock">,
  { ownerId, request }: { readonly ownerId: string; readonly request: SaveLayoutRequest },
): Promise<Result<KeptLayout>> {
  return inTransaction(platform.db, async (trx) => {
    await lockLayouts(trx, ownerId);
    const { length: count } = await selectLayouts(trx, ownerId);
    if (count >= MAX_LAYOUTS) return failure(problem("too_many_layouts", { params: { count } }));
    const layout = { id: platform.newId(), name: request.name, fields: request.fields, createdAt: platform.clock() };
    if (await insertLayout(trx, { ...layout, ownerId, nameKey: searchText(request.name) })) return success(layout);
    return failure(problem("validation", { errors: { name: ["Une de vos dispositions porte déjà ce nom"] } }));
  });
}
