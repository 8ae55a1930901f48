import { ApiError } from "../../lib/api/api-error.ts";
import { loadPart } from "../../lib/api/load-part.ts";

/**
 * Repeats a signature's call once a factor was shown.
 * Errors: those of the call; its refusal when nobody confirms.
 */
export async function confirmedCall<T>(call: () => Promise<T>, isRepeated = false): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError && /^(confirmation|factor)_required$/.test(error.code ?? "")))
      throw error;
    const { askConfirmation } = await loadPart(() => import("./confirmation-dialog.tsx"));
    if (!(await askConfirmation(error, isRepeated))) throw error;
    return confirmedCall(call, true);
  }
}
