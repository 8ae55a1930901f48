import type { Hand } from "@paraphe/contracts";

export type SavedSignature = {
  readonly id: string;
  readonly name: string;
  readonly kind: SavedKind;
  readonly isDefault: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
};
/** An image drawn elsewhere counts as `drawn`. */
export type SavedKind = "drawn" | "typed" | "uploaded";

type Strokes = readonly (readonly (readonly [number, number, number])[])[];

/** Widths at no and full pressure, in pad heights. */
const THIN = 0.01;
const THICK = 0.034;

/** The picture is cropped to its ink. */
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

/** The server has these fonts installed; the client embeds its own. */
const FAMILIES: Readonly<Record<Hand, string>> = {
  caveat: "Caveat",
  "la-belle-aurore": "La Belle Aurore",
  "playwrite-fr-moderne": "Playwrite France Moderne",
  "herr-von-muellerhoff": "Herr Von Muellerhoff",
};

export function textSvg({ text, hand }: { readonly text: string; readonly hand: Hand }): string {
  const width = Math.max(120, [...text].length * 32);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 96" width="${width}" height="96"><text x="50%" y="62" text-anchor="middle" font-size="52" font-family="'${FAMILIES[hand]}', cursive" fill="#1b2f86">${escaped(text)}</text></svg>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
