// Runs before the first paint, so that a dark page never flashes white, nor a large text small. The same rules live in src/lib/browser/theme.ts and
// src/lib/browser/accessibility.ts.
(() => {
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const isSystem = (query) => matchMedia(query).matches;
  const { dataset } = document.documentElement;
  const theme = read("paraphe.theme");
  const dark = theme === "dark" || (theme !== "light" && isSystem("(prefers-color-scheme: dark)"));
  dataset.theme = dark ? "dark" : "light";
  let chosen = null;
  try {
    chosen = JSON.parse(read("paraphe.accessibility") ?? "null");
  } catch {
    chosen = null;
  }
  dataset.text = ["large", "larger"].includes(chosen?.text) ? chosen.text : "normal";
  dataset.contrast =
    chosen?.contrast === "more" || isSystem("(prefers-contrast: more)") ? "more" : "normal";
  dataset.motion =
    chosen?.motion === "less" || isSystem("(prefers-reduced-motion: reduce)") ? "less" : "normal";
})();
