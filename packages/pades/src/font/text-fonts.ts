import type { IncrementalUpdate } from "../pdf/incremental-update.ts";
import type { Fonts } from "../pdf/types.ts";
import {
  type FontSubset,
  type PackedSubset,
  embedFont,
  packSubset,
  subsetFont,
} from "./embed-font.ts";
import { parseTrueType, type TrueTypeFont, unsupportedCharacter } from "./true-type-font.ts";

/** The shared font of a prepared file covers Windows-1252. */
const BASE_CODE_POINTS: readonly number[] = [
  ...Array.from({ length: 95 }, (_, index) => 0x20 + index),
  ...Array.from({ length: 96 }, (_, index) => 0xa0 + index),
  ...[..."ŒœŠšŽžŸƒˆ˜–—‘’‚“”„†‡•…‰‹›€™"].map((character) => character.codePointAt(0) ?? 0),
];

const BASE = new WeakMap<Uint8Array, Promise<PackedSubset>>();

/** Made once for the font's bytes. */
export function baseSubset(fonts: Fonts): Promise<PackedSubset> {
  const bytes = fonts.text[0];
  if (!bytes) throw new TypeError("Expected at least one text font");
  const known = BASE.get(bytes);
  if (known) return known;
  const made = packSubset(subsetFont(parseTrueType(bytes), BASE_CODE_POINTS));
  BASE.set(bytes, made);
  return made;
}

/** Composed, with plain spaces and hyphens. */
export function drawableText(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[\t\u00a0\u2000-\u200a\u202f\u205f]/g, " ")
    .replace(/[\u2010\u2011]/g, "-")
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "");
}

export type TextRun = { readonly resource: string; readonly hex: string };

/** Units: thousandths of the em. */
export type TextFonts = {
  /** Errors: PadesError `unsupported_character`. */
  widthOf(text: string): number;
  runsOf(text: string): readonly TextRun[];
  readonly resources: string;
};

/**
 * Embeds what the file's shared font (`shared`) does not cover.
 * Errors: PadesError `unsupported_character`, with the character, before anything is written.
 */
export async function embedTextFonts(
  update: IncrementalUpdate,
  request: {
    fonts: Pick<Fonts, "text">;
    texts: readonly string[];
    shared: { reference: string; packed: PackedSubset } | null;
    resource?: string;
  },
): Promise<TextFonts> {
  const { shared, resource = "PsX" } = request;
  const used: { resource: string; subset: FontSubset }[] = shared
    ? [{ resource: "PsF", subset: shared.packed.subset }]
    : [];
  const references = shared ? [`/PsF ${shared.reference}`] : [];
  for (const [index, group] of groupByFont(request, shared?.packed.subset).entries()) {
    const subset = subsetFont(group.font, group.codePoints);
    used.push({ resource: `${resource}${index}`, subset });
    references.push(
      `/${resource}${index} ${await embedFont(update, await packSubset(subset, update.deflate))} 0 R`,
    );
  }
  const find = (codePoint: number): { resource: string; subset: FontSubset } => {
    const found = used.find(({ subset }) => subset.glyphs.has(codePoint));
    if (!found) throw unsupportedCharacter(codePoint);
    return found;
  };
  const [widths, runs] = [new Map<string, number>(), new Map<string, readonly TextRun[]>()];
  const codePointsOf = (text: string): number[] =>
    Array.from(drawableText(text), (character) => character.codePointAt(0) ?? 0);
  return {
    resources: references.join(""),
    // Every size and line break measures again.
    widthOf: (text) =>
      remembered(widths, text, () =>
        codePointsOf(text).reduce(
          (sum, codePoint) => sum + widthIn(find(codePoint).subset, codePoint),
          0,
        ),
      ),
    runsOf: (text) => remembered(runs, text, () => splitRuns(codePointsOf(text), find)),
  };
}

function remembered<T>(known: Map<string, T>, text: string, make: () => T): T {
  const found = known.get(text);
  if (found !== undefined) return found;
  const made = make();
  known.set(text, made);
  return made;
}

function splitRuns(
  codePoints: readonly number[],
  find: (codePoint: number) => { resource: string; subset: FontSubset },
): readonly TextRun[] {
  const runs: { resource: string; hex: string }[] = [];
  for (const codePoint of codePoints) {
    const { resource, subset } = find(codePoint);
    const hex = (subset.glyphs.get(codePoint) ?? 0).toString(16).padStart(4, "0");
    const last = runs.at(-1);
    if (last?.resource === resource) last.hex += hex;
    else runs.push({ resource, hex });
  }
  return runs;
}

const widthIn = (subset: FontSubset, codePoint: number): number =>
  subset.widths[subset.glyphs.get(codePoint) ?? 0] ?? 0;

function groupByFont(
  request: { fonts: Pick<Fonts, "text">; texts: readonly string[] },
  shared: FontSubset | undefined,
): { font: TrueTypeFont; codePoints: Set<number> }[] {
  const groups = new Map<TrueTypeFont, Set<number>>();
  for (const character of drawableText(request.texts.join(""))) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (codePoint === 0x0a || codePoint === 0x0d || shared?.glyphs.has(codePoint)) continue;
    const font = request.fonts.text
      .map(parseTrueType)
      .find((candidate) => candidate.glyphOf(codePoint) !== 0);
    if (!font) throw unsupportedCharacter(codePoint);
    const group = groups.get(font) ?? new Set();
    groups.set(font, group.add(codePoint));
  }
  return [...groups].map(([font, codePoints]) => ({ font, codePoints }));
}

/** The first character that no font has, or null. */
export function missingCharacter(text: string, fonts: readonly Uint8Array[]): string | null {
  const candidates = fonts.map(parseTrueType);
  const characters = drawableText(text).replace(/[\r\n]/g, "");
  return (
    Array.from(characters).find((character) =>
      candidates.every((font) => font.glyphOf(character.codePointAt(0) ?? 0) === 0),
    ) ?? null
  );
}
