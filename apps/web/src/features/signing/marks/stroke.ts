/** x and y in pad heights; pressure 0 to 1. */
type StrokePoint = readonly [x: number, y: number, pressure: number];
export type Stroke = readonly StrokePoint[];

/** In pad heights; nearer points are dropped. */
const MIN_STEP = 0.004;
/** Fewer points are an accident. */
const MIN_POINTS = 3;
const MAX_POINTS = 5_000;
const MAX_STROKES = 200;
/** In pad heights; the service refuses a wider pad. */
const WIDEST_PAD = 20;
/** Line width in pad heights, at pressure 0 and 1. */
const THIN = 0.01;
const THICK = 0.034;
/** Above this height, the pen's width stays. */
const USUAL_PAD_PX = 210;

/** Pixels inside the pad; milliseconds. */
export type PadSample = {
  readonly x: number;
  readonly y: number;
  readonly timeMs: number;
  readonly pressure: number;
  readonly isPen: boolean;
};

type PadState = {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly timeMs: number;
};

/**
 * A pen reports its pressure; otherwise a faster line is thinner. A sample too near is dropped, one
 * beyond the pad moved to its edge.
 */
export function extendStroke(stroke: Stroke, sample: PadSample, pad: PadState): Stroke {
  // A pad without layout has no unit.
  if (stroke.length >= MAX_POINTS || !(pad.heightPx > 0)) return stroke;
  const [x, y] = onPad(
    [sample.x / pad.heightPx, sample.y / pad.heightPx, 0],
    pad.widthPx / pad.heightPx,
  );
  const previous = stroke.at(-1);
  if (!previous)
    return [[x, y, asThick(sample.isPen ? within(sample.pressure, 1) : 0.5, pad.heightPx)]];
  const distance = Math.hypot(x - previous[0], y - previous[1]);
  if (distance < MIN_STEP) return stroke;
  const speed = distance / Math.max(sample.timeMs - pad.timeMs, 1);
  const wanted = sample.isPen ? sample.pressure : 1 / (1 + speed * 260);
  // Smoothed: a jump in width looks jagged.
  const pressure = rounded(previous[2] * 0.7 + asThick(within(wanted, 1), pad.heightPx) * 0.3);
  return [...stroke, [x, y, pressure]];
}

/** The pressure that draws the usual thickness on a pad of this height. */
function asThick(pressure: number, heightPx: number): number {
  const wanted = (strokeWidth(pressure) * USUAL_PAD_PX) / heightPx;
  return rounded(Math.min(pressure, Math.max(0, (wanted - THIN) / (THICK - THIN))));
}

/** Clips stored strokes to the pad: the service refuses ink beyond its edges. */
export function strokesOnPad(strokes: readonly Stroke[]): [number, number, number][][] {
  return strokes.map((stroke) => stroke.map((point) => onPad(point, WIDEST_PAD)));
}

function onPad([x, y, pressure]: StrokePoint, widthInHeights: number): [number, number, number] {
  return [
    rounded(within(x, Math.min(widthInHeights, WIDEST_PAD))),
    rounded(within(y, 1)),
    within(pressure, 1),
  ];
}

/** Counts points, not pixels. */
export function isDrawn(strokes: readonly Stroke[]): boolean {
  return strokes.reduce((sum, stroke) => sum + stroke.length, 0) >= MIN_POINTS;
}

export function canAddStroke(strokes: readonly Stroke[]): boolean {
  return strokes.length < MAX_STROKES;
}

/** In pad heights, line width included. */
export function inkBounds(
  strokes: readonly Stroke[],
): { x: number; y: number; width: number; height: number } | null {
  const points = strokes.flat();
  if (points.length === 0) return null;
  const xs = points.map((point) => point[0]);
  const ys = points.map((point) => point[1]);
  const left = Math.min(...xs) - THICK;
  const top = Math.min(...ys) - THICK;
  return {
    x: left,
    y: top,
    width: Math.max(...xs) + THICK - left,
    height: Math.max(...ys) + THICK - top,
  };
}

/** In pad heights. */
export function strokeWidth(pressure: number): number {
  return THIN + (THICK - THIN) * pressure;
}

const f = (value: number) => +value.toFixed(4);

/** Paths to fill: the ribbon and two round ends, apart because opposite windings cancel out. */
export function strokePaths(stroke: Stroke): readonly string[] {
  const first = stroke[0];
  if (!first) return [];
  if (stroke.length === 1) return [dot(first)];
  const left: string[] = [];
  const right: string[] = [];
  stroke.forEach((point, index) => {
    const before = stroke[Math.max(0, index - 1)] ?? point;
    const after = stroke[Math.min(stroke.length - 1, index + 1)] ?? point;
    const angle = Math.atan2(after[1] - before[1], after[0] - before[0]);
    const half = strokeWidth(point[2]) / 2;
    const dx = Math.sin(angle) * half;
    const dy = -Math.cos(angle) * half;
    left.push(`${f(point[0] + dx)} ${f(point[1] + dy)}`);
    right.unshift(`${f(point[0] - dx)} ${f(point[1] - dy)}`);
  });
  const last = stroke.at(-1) ?? first;
  return [`M${left.join("L")}L${right.join("L")}Z`, dot(first), dot(last)];
}

function dot([x, y, pressure]: StrokePoint): string {
  const r = strokeWidth(pressure) / 2;
  return `M${f(x - r)} ${f(y)}a${f(r)} ${f(r)} 0 1 0 ${f(2 * r)} 0a${f(r)} ${f(r)} 0 1 0 ${f(-2 * r)} 0Z`;
}

function within(value: number, maximum: number): number {
  return Math.min(Math.max(value, 0), maximum);
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
