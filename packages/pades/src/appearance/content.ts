import { type TextFonts, type TextRun, drawableText } from "../font/text-fonts.ts";
import { glyphBounds, parseTrueType, unsupportedCharacter } from "../font/true-type-font.ts";
import type { Box, Rotation } from "../pdf/page-geometry.ts";
import type { Fonts, StrokePoint } from "../pdf/types.ts";
import { writeNumber } from "../pdf/write-object.ts";

/** Units: points from the bottom-left corner, upright as displayed. */
export type Area = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** A dark blue, legible when printed in grey. */
export const INK = "0.06 0.12 0.36";

/** Units: user space. */
export type Size = { readonly width: number; readonly height: number };

export function displayedSize([left, bottom, right, top]: Box, rotation: Rotation): Size {
  const [width, height] = [right - left, top - bottom];
  return rotation === 90 || rotation === 270 ? { width: height, height: width } : { width, height };
}

/** An upright appearance. Source: ISO 32000-2 §12.5.5 (appearance streams), §8.10.2. */
export function formEntries(
  { width, height }: Size,
  rotation: Rotation,
  resources: string,
): string {
  const matrices: Readonly<Record<Rotation, readonly number[]>> = {
    0: [1, 0, 0, 1, 0, 0],
    90: [0, 1, -1, 0, height, 0],
    180: [-1, 0, 0, -1, width, height],
    270: [0, -1, 1, 0, 0, width],
  };
  const list = (values: readonly number[]): string =>
    values.map((value) => writeNumber(value, 3)).join(" ");
  return `/Type/XObject/Subtype/Form/BBox[0 0 ${list([width, height])}]/Matrix[${list(matrices[rotation])}]/Resources<<${resources}>>`;
}

type TextBlock = {
  readonly area: Area;
  readonly lines: readonly string[];
  readonly fonts: TextFonts;
  /** It shrinks until every line fits. Units: points. */
  readonly size: number;
  /** Lines break at spaces, or only shrink. */
  readonly breaking: "wrap" | "keep";
  readonly vertical: "top" | "middle";
  readonly color: string;
  readonly align?: number;
};

const LEADING = 1.22;
const SHRINK = 0.94;
const SMALLEST = 0.5;

export function textContent(block: TextBlock): string {
  const { area, fonts } = block;
  const paragraphs = block.lines.flatMap((line) => line.split(/\r\n|\r|\n/));
  let { size } = block;
  let lines = layOut(block, paragraphs, size);
  while (
    size > SMALLEST &&
    (lines.length * size * LEADING > area.height + 0.01 ||
      widest(fonts, lines) * size > area.width * 1000)
  ) {
    size *= SHRINK;
    lines = layOut(block, paragraphs, size);
  }
  const used = lines.length * size * LEADING;
  const top = block.vertical === "top" ? area.y + area.height : area.y + (area.height + used) / 2;
  let out = `BT ${block.color} ${writeNumber(size * LEADING, 3)} TL 1 0 0 1 ${writeNumber(area.x)} ${writeNumber(top - size)} Tm\n`;
  let current = "";
  let indent = 0;
  for (const line of lines) {
    const own = (block.align ?? 0) * (area.width - (fonts.widthOf(line) * size) / 1000);
    if (own !== indent) out += `${writeNumber(own - indent, 3)} 0 Td `;
    indent = own;
    for (const { resource, hex } of fonts.runsOf(line)) {
      if (resource !== current) out += `/${resource} ${writeNumber(size, 3)} Tf `;
      current = resource;
      out += `<${hex}> Tj `;
    }
    out += "T*\n";
  }
  return `${out}ET\n`;
}

const widest = (fonts: TextFonts, lines: readonly string[]): number =>
  Math.max(0, ...lines.map((line) => fonts.widthOf(line)));

function layOut(block: TextBlock, paragraphs: readonly string[], size: number): readonly string[] {
  if (block.breaking === "keep") return paragraphs;
  const room = (block.area.width * 1000) / size;
  return paragraphs.flatMap((paragraph) => wrap(block.fonts, paragraph, room));
}

function wrap(fonts: TextFonts, paragraph: string, room: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of paragraph.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && fonts.widthOf(longer) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Uses paths, as poppler draws no indirect `/N` state of a real checkbox. */
export function boxContent(area: Area, state: "ticked" | "empty"): string {
  const side = Math.max(2, Math.min(area.width, area.height) - 2);
  const left = area.x + (area.width - side) / 2;
  const bottom = area.y + (area.height - side) / 2;
  const n = (value: number): string => writeNumber(value);
  const frame = `q ${INK} RG ${n(Math.max(0.5, side / 18))} w ${n(left)} ${n(bottom)} ${n(side)} ${n(side)} re S`;
  if (state === "empty") return `${frame} Q\n`;
  const at = (x: number, y: number): string => `${n(left + side * x)} ${n(bottom + side * y)}`;
  return `${frame} ${n(side / 8)} w 1 J 1 j ${at(0.2, 0.5)} m ${at(0.42, 0.26)} l ${at(0.8, 0.76)} l S Q\n`;
}

export type PlaceableMark =
  | {
      readonly kind: "image";
      readonly resource: string;
      readonly width: number;
      readonly height: number;
    }
  | { readonly kind: "strokes"; readonly strokes: readonly (readonly StrokePoint[])[] }
  | { readonly kind: "letters"; readonly runs: readonly TextRun[]; readonly bounds: Bounds };
type Bounds = readonly [left: number, bottom: number, right: number, top: number];
/** `x' = x·scaleX + dx`. */
type Placement = {
  readonly scale: number;
  readonly flip: 1 | -1;
  readonly dx: number;
  readonly dy: number;
};

/**
 * At full pressure, in pad heights; a device without pressure gives 0.5 (W3C Pointer Events §4.2).
 */
const PEN = 0.028;

/**
 * Each letter takes the first font that has it. Units: thousandths of the em.
 * Errors: `unsupported_character`.
 */
export function typedBounds(text: string, fonts: Pick<Fonts, "text">): Bounds {
  const candidates = fonts.text.map(parseTrueType);
  const [xs, ys]: [number[], number[]] = [[], []];
  let pen = 0;
  for (const character of drawableText(text)) {
    const codePoint = character.codePointAt(0) ?? 0;
    const font = candidates.find((candidate) => candidate.glyphOf(codePoint) !== 0);
    if (!font) throw unsupportedCharacter(codePoint);
    const glyph = font.glyphOf(codePoint);
    const scale = 1000 / font.unitsPerEm;
    const [left, bottom, right, top] = glyphBounds(font, glyph) ?? [];
    if (left !== undefined && bottom !== undefined && right !== undefined && top !== undefined) {
      xs.push(left * scale + pen, right * scale + pen);
      ys.push(bottom * scale, top * scale);
    }
    pen += Math.round(font.advanceOf(glyph) * scale);
  }
  return boundsOfPoints(xs, ys);
}

/** As large as the area allows; `align`: 0 at the left edge, 1 at the right. */
export function markContent(mark: PlaceableMark, area: Area, align = 0.5): string {
  if (mark.kind === "image") {
    const { scale, dx, dy } = fit([0, 0, mark.width, mark.height], { area, align }, 1);
    return `q ${[mark.width * scale, 0, 0, mark.height * scale, dx, dy].map((value) => writeNumber(value)).join(" ")} cm /${mark.resource} Do Q\n`;
  }
  return mark.kind === "letters"
    ? lettersContent(mark.runs, fit(mark.bounds, { area, align }, 1))
    : strokesContent(mark.strokes, area, align);
}

function boundsOfPoints(xs: readonly number[], ys: readonly number[]): Bounds {
  const least = (values: readonly number[]): number =>
    values.reduce((left, right) => Math.min(left, right), Number.POSITIVE_INFINITY);
  const most = (values: readonly number[]): number =>
    values.reduce((left, right) => Math.max(left, right), Number.NEGATIVE_INFINITY);
  return xs.length === 0 ? [0, 0, 1, 1] : [least(xs), least(ys), most(xs), most(ys)];
}

function fit(
  [left, bottom, right, top]: Bounds,
  { area, align }: { area: Area; align: number },
  flip: 1 | -1,
): Placement {
  const [width, height] = [Math.max(right - left, 1e-3), Math.max(top - bottom, 1e-3)];
  const scale = Math.min(area.width / width, area.height / height);
  const dx = area.x + (area.width - width * scale) * align - left * scale;
  const base = area.y + (area.height - height * scale) / 2;
  return { scale, flip, dx, dy: flip === 1 ? base - bottom * scale : base + top * scale };
}

function lettersContent(runs: readonly TextRun[], { scale, dx, dy }: Placement): string {
  const shown = runs.map(
    ({ resource, hex }) => `/${resource} ${writeNumber(1000 * scale, 3)} Tf <${hex}> Tj`,
  );
  return `q BT ${INK} rg 1 0 0 1 ${writeNumber(dx)} ${writeNumber(dy)} Tm ${shown.join(" ")} ET Q\n`;
}

/** Half a pen stays inside the area, so that no ink leaves it. */
function strokesContent(
  strokes: readonly (readonly StrokePoint[])[],
  area: Area,
  align: number,
): string {
  const points = strokes.flat();
  const bounds = boundsOfPoints(
    points.map(([x]) => x),
    points.map(([, y]) => y),
  );
  const margin = PEN / 2;
  const placement = fit(
    [bounds[0] - margin, bounds[1] - margin, bounds[2] + margin, bounds[3] + margin],
    { area, align },
    -1,
  );
  const { scale, dx, dy } = placement;
  // A small mark must not become a blot.
  const pen = Math.min(PEN * scale, area.height / 14);
  const place = ([x, y]: readonly [number, number, ...unknown[]]): readonly [number, number] => [
    x * scale + dx,
    dy - y * scale,
  ];
  // Tenths of a point are finer than any printer.
  let out = `q .1 0 0 .1 0 0 cm ${INK} RG ${INK} rg 1 J 1 j\n`;
  for (const stroke of strokes)
    out += strokeContent(
      stroke.map((point) => ({ at: place(point), width: pen * (0.45 + 0.9 * point[2]) })),
    );
  return `${out}Q\n`;
}

type Inked = { readonly at: readonly [number, number]; readonly width: number };

const pair = ([x, y]: readonly [number, number]): string =>
  `${Math.round(x * 10)} ${Math.round(y * 10)}`;
const penWidth = (width: number): string => `${Math.round(width * 10)} w`;
/** Widths that differ by less share a path. */
const WIDTH_STEP = 0.15;

function strokeContent(points: readonly Inked[]): string {
  const first = points[0];
  if (!first) return "";
  // A dot: a line of no length with round caps (ISO 32000-2 §8.5.3.2).
  if (points.length === 1)
    return `${penWidth(first.width * 1.4)} ${pair(first.at)} m ${pair(first.at)} l S\n`;
  let out = "";
  let from = first.at;
  let width = 0;
  for (const [index, point] of points.entries()) {
    const next = points[index + 1];
    if (index === 0 && next) continue;
    const to: readonly [number, number] = next
      ? [(point.at[0] + next.at[0]) / 2, (point.at[1] + next.at[1]) / 2]
      : point.at;
    if (Math.abs(point.width - width) > WIDTH_STEP * point.width) {
      out += `${out === "" ? "" : "S "}${penWidth(point.width)} ${pair(from)} m\n`;
      width = point.width;
    }
    // The drawn point is the control of a quadratic curve.
    const control = (end: readonly [number, number]): readonly [number, number] => [
      end[0] + ((point.at[0] - end[0]) * 2) / 3,
      end[1] + ((point.at[1] - end[1]) * 2) / 3,
    ];
    out += `${pair(control(from))} ${pair(control(to))} ${pair(to)} c\n`;
    from = to;
  }
  return `${out}S\n`;
}
