export type Theme = "light" | "dark" | "system";

const KEY = "paraphe.theme";
const listeners = new Set<() => void>();

/** Gives the theme the person chose on this device. */
export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch (cause) {
    // Storage may be refused by the browser (private mode, policy): the system's theme then.
    if (cause instanceof DOMException) return "system";
    throw cause;
  }
}

/** Keeps the chosen theme on this device and shows it. */
export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause;
  }
  applyTheme(theme);
  listeners.forEach((listener) => listener());
}

/** Shows the chosen theme, and follows the system's while the choice is « Système ». A page that is one file has no `theme.js` before it. */
export function followSystemTheme(): void {
  applyTheme(readTheme());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
    applyTheme(readTheme()),
  );
}

/** Calls back at each choice; gives the way to stop. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function applyTheme(theme: Theme): void {
  const dark =
    theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}
