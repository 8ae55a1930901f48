/** `system`: as the browser asks for it. */
export type Accessibility = {
  readonly text: "normal" | "large" | "larger";
  readonly contrast: "system" | "more";
  readonly motion: "system" | "less";
};

const KEY = "paraphe.accessibility";
const USUAL: Accessibility = { text: "normal", contrast: "system", motion: "system" };
const MORE_CONTRAST = "(prefers-contrast: more)";
const LESS_MOTION = "(prefers-reduced-motion: reduce)";
const listeners = new Set<() => void>();
let current: Accessibility | undefined;

/** The same object until the next choice. */
export function readAccessibility(): Accessibility {
  current ??= stored();
  return current;
}

export function chooseAccessibility(change: Partial<Accessibility>): void {
  current = { ...readAccessibility(), ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch (cause) {
    // Storage refused: the choice lasts as long as the page.
    if (!(cause instanceof DOMException)) throw cause;
  }
  applyAccessibility();
  listeners.forEach((listener) => listener());
}

/** Applies the choice, follows the system where asked, and choices of other tabs. */
export function followAccessibility(): void {
  applyAccessibility();
  for (const query of [MORE_CONTRAST, LESS_MOTION])
    matchMedia(query).addEventListener("change", applyAccessibility);
  window.addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    current = undefined;
    applyAccessibility();
    listeners.forEach((listener) => listener());
  });
}

export function onAccessibilityChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function wantsLessMotion(): boolean {
  return readAccessibility().motion === "less" || matchMedia(LESS_MOTION).matches;
}

function applyAccessibility(): void {
  const { text, contrast } = readAccessibility();
  const { dataset } = document.documentElement;
  dataset["text"] = text;
  dataset["contrast"] =
    contrast === "more" || matchMedia(MORE_CONTRAST).matches ? "more" : "normal";
  dataset["motion"] = wantsLessMotion() ? "less" : "normal";
}

function stored(): Accessibility {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? "null");
    const has = (name: string, word: string) =>
      typeof value === "object" && value !== null && Reflect.get(value, name) === word;
    return {
      text: has("text", "large") ? "large" : has("text", "larger") ? "larger" : USUAL.text,
      contrast: has("contrast", "more") ? "more" : USUAL.contrast,
      motion: has("motion", "less") ? "less" : USUAL.motion,
    };
  } catch (cause) {
    if (cause instanceof DOMException || cause instanceof SyntaxError) return USUAL;
    throw cause;
  }
}
