type Theme = "light" | "dark" | "system";

const KEY = "paraphe.theme";
const listeners = new Set<() => void>();

export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch (cause) {
    // Storage may be refused by the browser.
    if (cause instanceof DOMException) return "system";
    throw cause;
  }
}

export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause;
  }
  applyTheme(theme);
  listeners.forEach((listener) => listener());
}

/** A single-file page has no `theme.js` before it. */
export function followSystemTheme(): void {
  applyTheme(readTheme());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
    applyTheme(readTheme()),
  );
}

export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function applyTheme(theme: Theme): void {
  const dark =
    theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}
