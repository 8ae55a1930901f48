import { failure, isId, problem, type Result, success } from "@paraphe/contracts";
import type { Platform } from "../../../platform/platform.ts";
import { verifyPrintSignature } from "../../trust/public.ts";
import { findPrint, type PrintRow } from "./store.ts";

export type PrintKey = { readonly id: string; readonly sig: string | null; readonly userId: string | null };

/**
 * Gives the print that a link names: by its `sig`, or to its owner's session without one.
 * Errors: `not_found`, the same for an unknown print and a wrong `sig` (security line 56).
 */
export async function openPrint(platform: Pick<Platform, "db" | "secrets">, key: PrintKey): Promise<Result<PrintRow>> {
  const print = isId(key.id) ? await findPrint(platform.db, key.id) : null;
  if (print === null) return failure(problem("not_found"));
  const isOpen = key.sig === null ? key.userId === print.ownerId : verifyPrintSignature(platform, print, key.sig);
  return isOpen ? success(print) : failure(problem("not_found"));
}
