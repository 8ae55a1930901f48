import type { ConfirmationAsked } from "@paraphe/contracts";
import { ApiError } from "../../lib/api/api-error.ts";
import { loadPart } from "../../lib/api/load-part.ts";

const ASKED = new Set<string | undefined>(["confirmation_required", "factor_required"]);

/**
 * Repeats a signature's call once a factor was shown.
 * Errors: those of the call; its refusal when nobody confirms.
 */
export async function confirmedCall<T>(call: () => Promise<T>): Promise<T> {
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError) || !ASKED.has(error.code)) throw error;
      const { askConfirmation } = await loadPart(() => import("./confirmation-dialog.tsx"));
      const { methods = [] } = error.details.body as Partial<ConfirmationAsked>;
      if (!(await askConfirmation(methods, isRepeated))) throw error;
    }
  }
}
