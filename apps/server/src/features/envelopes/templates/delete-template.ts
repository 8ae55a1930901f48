import { failure, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { dropBlobs } from "../../documents/public.ts";
import { deleteTemplateRow, selectTemplate } from "./store.ts";

/** Deletes a template, and its files that nothing else needs once that is committed. Envelopes made of it stay. Errors: `not_found`. */
export async function deleteTemplate(
  platform: Pick<Platform, "db" | "queue">,
  of: { readonly id: string; readonly ownerId: string },
): Promise<Result<null>> {
  return inTransaction(platform.db, async (trx) => {
    const template = await selectTemplate(trx, of);
    if (template === null || !(await deleteTemplateRow(trx, of))) return failure(problem("not_found"));
    await dropBlobs(
      trx,
      platform,
      template.documents.map((document) => document.sha256),
    );
    return success(null);
  });
}
