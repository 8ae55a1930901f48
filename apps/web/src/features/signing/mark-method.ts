/** The four ways to a mark. */
export type MarkMethod = "draw" | "type" | "import" | "saved";

const REMEMBERED = "paraphe.mark-method";

/** Gives the way used last in this tab. */
export function recallMethod(): MarkMethod | null {
  try {
    const value = sessionStorage.getItem(REMEMBERED);
    return value === "draw" || value === "type" || value === "import" || value === "saved" ? value : null;
  } catch (cause) {
    if (cause instanceof DOMException) return null;
    throw cause;
  }
}

export function rememberMethod(method: MarkMethod): void {
  try {
    sessionStorage.setItem(REMEMBERED, method);
  } catch (cause) {
    // Forbidden storage only costs a comfort.
    if (!(cause instanceof DOMException)) throw cause;
  }
}
