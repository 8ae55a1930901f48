import type { Hand } from "@paraphe/contracts";

/** A mark that an account keeps, without what it is made of. */
export type SavedSignature = {
  readonly id: string;
  readonly name: string;
  readonly kind: SavedKind;
  readonly isDefault: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
};
/** How it was made; an image drawn elsewhere is `drawn` too. */
export type SavedKind = "drawn" | "typed" | "uploaded";

/** Strokes of `[x, y, pressure]`, in units of the pad's height. */
type Strokes = readonly (readonly (readonly [number, number, number])[])[];

/** Width of the line at no pressure and at full pressure, in pad heights: as the pad draws it. */
const THIN = 0.01;
const THICK = 0.034;

/** Gives a drawn mark as an SVG picture cut to its ink, the line as wide as the pen was pressed. */
export function strokesSvg(strokes: Strokes): string {
  const points = strokes.flat();
  const left = Math.min(...points.map(([x]) => x)) - THICK;
  const top = Math.min(...points.map(([, y]) => y)) - THICK;
  const width = Math.max(...points.map(([x]) => x)) + THICK - left;
  const height = Math.max(...points.map(([, y]) => y)) + THICK - top;
  const lines = strokes.flatMap((stroke) =>
    (stroke.length === 1 ? [stroke[0], stroke[0]] : stroke).flatMap(segment),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${[left, top, width, height].map(short).join(" ")}" width="${Math.round(600 * width)}" height="${Math.round(600 * height)}" fill="none" stroke="#1b2f86" stroke-linecap="round">${lines.join("")}</svg>`;
}

function segment(
  to: Strokes[number][number] | undefined,
  index: number,
  stroke: readonly (Strokes[number][number] | undefined)[],
): string[] {
  const from = stroke[index - 1];
  if (from === undefined || to === undefined) return [];
  const width = THIN + ((THICK - THIN) * (from[2] + to[2])) / 2;
  return [
    `<path d="M${short(from[0])} ${short(from[1])}L${short(to[0])} ${short(to[1])}" stroke-width="${short(width)}"/>`,
  ];
}

function short(value: number): string {
  return String(+value.toFixed(4));
}

/** Families by which a browser that has the hands installed finds them; the client draws the text itself, in its own fonts. */
const FAMILIES: Readonly<Record<Hand, string>> = {
  caveat: "Caveat",
  "la-belle-aurore": "La Belle Aurore",
  "playwrite-fr-moderne": "Playwrite France Moderne",
  "herr-von-muellerhoff": "Herr Von Muellerhoff",
};

/** Gives a typed mark as an SVG picture. */
export function textSvg({ text, hand }: { readonly text: string; readonly hand: Hand }): string {
  const width = Math.max(120, [...text].length * 32);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 96" width="${width}" height="96"><text x="50%" y="62" text-anchor="middle" font-size="52" font-family="'${FAMILIES[hand]}', cursive" fill="#1b2f86">${escaped(text)}</text></svg>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
