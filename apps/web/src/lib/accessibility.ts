/** How this device shows the pages. `system`: as the browser asks for it. */
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

/** Gives what the person chose on this device; the same object until they choose again. */
export function readAccessibility(): Accessibility {
  current ??= stored();
  return current;
}

/** Keeps a choice on this device and shows it. */
export function chooseAccessibility(change: Partial<Accessibility>): void {
  current = { ...readAccessibility(), ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch (cause) {
    // Storage may be refused by the browser (private mode, policy): the choice lasts as long as the page.
    if (!(cause instanceof DOMException)) throw cause;
  }
  applyAccessibility();
  listeners.forEach((listener) => listener());
}

/** Shows the choice, and follows the system where it is asked to, and another tab's choice. */
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

/** Calls back at each choice; gives the way to stop. */
export function onAccessibilityChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tells whether nothing should move by itself: the person's choice, or the system's. */
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
