export const MAX_LOGO_BYTES = 1024 * 1024;

export const LOGO_FAULTS = {
  size: "Ce logo est trop lourd\u00a0: 1\u00a0Mo au plus.",
  format: "Choisissez un logo en SVG ou en PNG.",
  code: "Ce logo contient du code\u00a0: exportez-le de nouveau en SVG simple ou en PNG.",
  damage: "Ce logo ne peut pas être lu\u00a0: exportez-le de nouveau en SVG simple ou en PNG.",
  text: "Ce logo contient du texte ou un effet que le service ne dessine pas\u00a0: exportez-le en PNG.",
} as const;
export type LogoFault = keyof typeof LOGO_FAULTS;

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const isPng = (bytes: Uint8Array): boolean => PNG.every((one, at) => bytes[at] === one);

/** `text`: of an SVG, with the size that it is drawn in. */
type CheckedLogo =
  | { readonly kind: "png" }
  | { readonly kind: "svg"; readonly text: string }
  | { readonly kind: "fault"; readonly fault: LogoFault };

/** Goes by content, whatever the name says. */
export function checkLogo(bytes: Uint8Array): CheckedLogo {
  const fault = (one: LogoFault): CheckedLogo => ({ kind: "fault", fault: one });
  if (bytes.length > MAX_LOGO_BYTES) return fault("size");
  if (isPng(bytes)) return { kind: "png" };
  const text = decode(bytes);
  if (text === null || !/^\s*<(?:\?xml|!--|!DOCTYPE|svg)[\s>-]/.test(text)) return fault("format");
  const checked = checkSvg(text);
  return typeof checked === "string" ? fault(checked) : { kind: "svg", text: checked.text };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new Decoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Browsers and Node have it, but no ECMAScript library. */
const { TextDecoder: Decoder } = globalThis as unknown as {
  readonly TextDecoder: new (
    encoding: string,
    options: { readonly fatal: true },
  ) => { decode(bytes: Uint8Array): string };
};

/** These draw, or say what no eye sees. Source: SVG 2, chapters 5 to 14. */
const DRAWN = new Set(
  (
    "svg g defs symbol use path rect circle ellipse line polyline polygon clipPath mask " +
    "linearGradient radialGradient stop pattern title desc metadata style switch"
  ).split(" "),
);
/** Elements that run, move or fetch something, with any prefix. */
const CODE =
  /^(?:script|foreignobject|iframe|frame|embed|object|audio|video|canvas|html|body|form|input|link|meta|handler|listener|a|image|feimage|animate\w*|set|discard)$/i;
/** XML 1.0 §2: what an SVG program writes; nothing else is one. */
const NAME = "[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?";
const TOKEN = new RegExp(
  [
    "<!--[^]*?-->",
    "<\\?(?<target>[\\w-]+)[^>]*\\?>",
    "<!DOCTYPE(?<doctype>[^>]*)>",
    "<!\\[CDATA\\[(?<raw>[^]*?)\\]\\]>",
    `</(?<closed>${NAME})\\s*>`,
    `<(?<name>${NAME})(?<attributes>(?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(?<ends>/?)>`,
    "(?<words>[^<]+)",
  ].join("|"),
  "y",
);
const ATTRIBUTE = new RegExp(`\\s+(${NAME})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "g");
const PLAIN_TARGETS = new Set(["xml", "xpacket"]);
const DEEPEST = 100;

type Attributes = ReadonlyMap<string, string>;

/** Gives the first fault, or the SVG with a size; the program that draws it reads no more. */
function checkSvg(text: string): LogoFault | { readonly text: string } {
  const open: string[] = [];
  let hasText = false;
  let root: { readonly tag: string; readonly end: number } | null = null;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text)?.groups;
    if (found === undefined) return "damage";
    const { target, doctype, raw, closed, name, attributes, ends, words } = found;
    if (target !== undefined && !PLAIN_TARGETS.has(target)) return "code";
    // An internal subset could declare entities.
    if (doctype?.includes("[")) return "code";
    if (hasCode(decodeEntities(words ?? raw ?? ""), open.at(-1) === "style")) return "code";
    if (closed !== undefined && open.pop() !== closed) return "damage";
    if (name === undefined) continue;
    if (root !== null && open.length === 0) return "damage";
    const given = attributesOf(attributes ?? "");
    if (given === null || open.length === DEEPEST) return "damage";
    const local = name.slice(name.indexOf(":") + 1);
    if (CODE.test(local) || [...given].some(runs)) return "code";
    // Another program's notes have a prefix of its own; nothing draws them.
    const isNote = open.includes("metadata") || /^(?!svg:).+:/.test(name);
    hasText ||= !isNote && !DRAWN.has(name);
    if (root === null) {
      const tag = rootTag(name, given, ends ?? "");
      if (tag === null) return "damage";
      root = { tag, end: TOKEN.lastIndex };
    }
    if (ends === "") open.push(name);
  }
  if (root === null || open.length > 0) return "damage";
  if (hasText) return "text";
  return { text: root.tag + text.slice(root.end) };
}

function attributesOf(text: string): Attributes | null {
  const pairs = [...text.matchAll(ATTRIBUTE)].map(
    ([, name = "", double, single]) => [name, decodeEntities(double ?? single ?? "")] as const,
  );
  const given = new Map(pairs);
  return given.size === pairs.length ? given : null;
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** XML 1.0 §4.1 and §4.6; an unknown entity stays, undrawn. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

function runs([name, value]: readonly [string, string]): boolean {
  if (/^(?:xmlns(?::|$))/.test(name)) return false;
  const local = name.slice(name.indexOf(":") + 1).toLowerCase();
  if (local.startsWith("on")) return true;
  // A place in the same file is no outside reference.
  if (local === "href" || local === "src" || local === "base") return !/^\s*(?:#|$)/.test(value);
  return hasCode(value, true);
}

/** A style that fetches, or an address that runs. CSS Syntax 3 §4.3.7: escapes hide words. */
function hasCode(text: string, isStyle: boolean): boolean {
  const seen = text.replace(/[\s\u0000-\u001f]+/g, "").toLowerCase();
  if (/javascript:|vbscript:|data:text|data:image/.test(seen)) return true;
  if (!isStyle) return false;
  return /\\|@import|@font-face|expression\(|-moz-binding|image-set\(|src\(|url\((?!['"]?#)/.test(
    seen.replace(/\/\*.*?\*\//g, ""),
  );
}

/** Gives the pixels of a millimetre and other units (CSS Values 4 §6.2). */
const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
};
/** The longer side, in the drawing's units. */
const SIDE = 320;
const LEAST_SIDE = 1;

/** Gives the same picture in a size cheap to draw; null without a size or for no SVG. */
function rootTag(name: string, given: Attributes, ends: string): string | null {
  if (name !== "svg" || given.get("xmlns") !== "http://www.w3.org/2000/svg") return null;
  const view = (
    given.get("viewBox") ?? `0 0 ${lengthOf(given, "width")} ${lengthOf(given, "height")}`
  )
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [, , width = 0, height = 0] = view;
  if (view.length !== 4 || !view.every(Number.isFinite) || width <= 0 || height <= 0) return null;
  const scale = SIDE / Math.max(width, height);
  const size = (side: number) => Math.max(LEAST_SIDE, Math.round(side * scale));
  const attributes = new Map(given)
    .set("viewBox", view.join(" "))
    .set("width", String(size(width)))
    .set("height", String(size(height)));
  const written = [...attributes].map(([key, value]) => ` ${key}="${encodeText(value)}"`);
  return `<svg${written.join("")}${ends}>`;
}

function lengthOf(given: Attributes, side: "width" | "height"): number {
  const [, number = "", unit = ""] =
    /^\s*([\d.]+)\s*([a-z]*)\s*$/.exec(given.get(side) ?? "") ?? [];
  return Number(number || Number.NaN) * (UNITS[unit] ?? Number.NaN);
}

function encodeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
