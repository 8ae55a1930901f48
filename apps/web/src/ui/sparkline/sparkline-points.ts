const WIDTH = 300;
const TOP = 8;
const BOTTOM = 48;

/** Gives the points of a curve in a 300 × 52 frame: the greatest count at the top, zero at the baseline. */
export function sparklinePoints(counts: readonly number[]): readonly (readonly [x: number, y: number])[] {
  const maximum = Math.max(1, ...counts);
  const step = counts.length > 1 ? WIDTH / (counts.length - 1) : 0;
  return counts.map((count, index) => [index * step, BOTTOM - (count / maximum) * (BOTTOM - TOP)] as const);
}
