import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";
import { beforeEach, expect, test, vi } from "vitest";

const THEME_SCRIPT = readFileSync(`${import.meta.dirname}/../../../public/theme.js`, "utf8");
const shown = () => {
  const { text, contrast, motion } = document.documentElement.dataset;
  return { text, contrast, motion };
};
const system = (...asked: readonly string[]) => {
  const heard: (() => void)[] = [];
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: asked.includes(query),
    addEventListener: (_type: string, listener: () => void) => heard.push(listener),
  }));
  return heard;
};
/** A freshly loaded module. */
async function opened() {
  vi.resetModules();
  return import("./accessibility.ts");
}

beforeEach(() => {
  localStorage.clear();
  for (const name of ["text", "contrast", "motion"]) delete document.documentElement.dataset[name];
  system();
});

test("a choice applies at once, and before the first paint when the page is opened again", async () => {
  const page = await opened();
  page.chooseAccessibility({ text: "larger", contrast: "more" });
  page.chooseAccessibility({ motion: "less" });
  const chosen = { text: "larger", contrast: "more", motion: "less" };
  expect(shown()).toEqual(chosen);
  for (const name of ["text", "contrast", "motion"]) delete document.documentElement.dataset[name];
  runInThisContext(THEME_SCRIPT);
  expect(shown()).toEqual(chosen);
  expect((await opened()).readAccessibility()).toEqual(chosen);
});

test("without a choice the system's is followed, at the start and later", async () => {
  system("(prefers-contrast: more)", "(prefers-reduced-motion: reduce)");
  runInThisContext(THEME_SCRIPT);
  expect(shown()).toEqual({ text: "normal", contrast: "more", motion: "less" });
  const heard = system();
  const page = await opened();
  page.followAccessibility();
  expect([shown(), page.wantsLessMotion()]).toEqual([
    { text: "normal", contrast: "normal", motion: "normal" },
    false,
  ]);
  vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener() {} }));
  heard.forEach((listener) => listener());
  expect([shown(), page.wantsLessMotion()]).toEqual([
    { text: "normal", contrast: "more", motion: "less" },
    true,
  ]);
});

test("the choice of another tab is shown here", async () => {
  const page = await opened();
  page.followAccessibility();
  const told = vi.fn();
  page.onAccessibilityChange(told);
  localStorage.setItem("paraphe.accessibility", JSON.stringify({ text: "large" }));
  dispatchEvent(new StorageEvent("storage", { key: "paraphe.accessibility" }));
  expect([shown().text, told.mock.calls.length]).toEqual(["large", 1]);
});

test.each(["{", "null", "[]", '{"text":"énorme","contrast":1}'])(
  "what is no choice is none: %s",
  async (stored) => {
    localStorage.setItem("paraphe.accessibility", stored);
    runInThisContext(THEME_SCRIPT);
    expect(shown()).toEqual({ text: "normal", contrast: "normal", motion: "normal" });
    expect((await opened()).readAccessibility()).toEqual({
      text: "normal",
      contrast: "system",
      motion: "system",
    });
  },
);

/** Custom properties of a block, by its selector. */
function tokensOf(css: string, selector: string): Record<string, string> {
  const start = css.indexOf(`${selector} {`);
  if (start < 0) throw new Error(`no ${selector}`);
  const block = css.slice(start, css.indexOf("}", start));
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
}
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
/** WCAG 2.2, « contrast ratio ». */
function ratio(one = "", other = ""): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test.each([
  ["light", ".sheet", '[data-contrast="more"] .sheet'],
  ["dark", '\n  [data-theme="dark"]', '[data-contrast="more"][data-theme="dark"]'],
])(
  "« Renforcé », in the %s theme: every text is 7:1 on what it stands on (WCAG 1.4.6), every outline 4.5:1",
  (_theme, usual, more) => {
    const css = readFileSync(`${import.meta.dirname}/../../ui/styles/themes.css`, "utf8");
    const colours: Record<string, string> = { ...tokensOf(css, usual), ...tokensOf(css, more) };
    const pairs = [
      "ink",
      "ink-2",
      "ink-3",
      "accent",
      "danger",
      "success",
      "warning",
      "info",
    ].flatMap((name) =>
      ["surface", "canvas", "surface-raised"].map((ground) => [name, ground] as const),
    );
    for (const name of ["draft", "sent", "completed", "cancelled", "action"])
      pairs.push([`${name}-fg`, `${name}-bg`]);
    for (const name of ["danger", "success", "warning", "info"]) pairs.push([name, `${name}-bg`]);
    pairs.push(["on-accent", "accent"]);
    for (const [text, ground] of pairs)
      expect([text, ground, ratio(colours[text], colours[ground]) >= 7]).toEqual([
        text,
        ground,
        true,
      ]);
    for (const ground of ["surface", "canvas"])
      expect(ratio(colours["line-control"], colours[ground])).toBeGreaterThanOrEqual(4.5);
  },
);

test("« Grande » and « Très grande » enlarge the root, which every text of the interface follows", () => {
  const css = readFileSync(`${import.meta.dirname}/../../ui/styles/base.css`, "utf8");
  expect(css).toMatch(/html\[data-text="large"\] \{\s*font-size: 118\.75%/);
  expect(css).toMatch(/html\[data-text="larger"\] \{\s*font-size: 137\.5%/);
  const tokens = readFileSync(`${import.meta.dirname}/../../ui/styles/tokens.css`, "utf8");
  for (const [, size] of tokens.matchAll(/--text-[\w]+: ([^;]+);/g)) expect(size).toMatch(/rem$/);
});
