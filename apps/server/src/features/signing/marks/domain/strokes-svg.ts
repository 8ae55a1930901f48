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
  const lines = strokes.flatMap((stroke) => (stroke.length === 1 ? [stroke[0], stroke[0]] : stroke).flatMap(segment));
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
  return [`<path d="M${short(from[0])} ${short(from[1])}L${short(to[0])} ${short(to[1])}" stroke-width="${short(width)}"/>`];
}

function short(value: number): string {
  return String(+value.toFixed(4));
}
