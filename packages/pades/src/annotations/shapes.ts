import { PdfArray, type PdfDict, PdfName, PdfNumber } from "@libpdf/core";
import { ownEntry } from "../pades-error.ts";
import { arrayAt, dictAt, follow, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { writeNumber } from "../pdf/write-object.ts";

export type Point = readonly [x: number, y: number];
/** `stroke` and `fill`: operators, null for none. Units: points. */
type Style = {
  readonly stroke: string | null;
  readonly fill: string | null;
  readonly width: number;
  readonly dash: string;
};

/** Source: ISO 32000-2 §12.5.2, table 166 (C). */
const FILLS: Readonly<Record<number, string>> = { 1: "g", 3: "rg", 4: "k" };
const BLACK = "0 g";
/** Source: ISO 32000-2 §12.5.4, table 168. */
const DASHES: readonly number[] = [3];

const FAR = 1e7;

/** Clamps each number to `FAR`, leaves out other items. */
export function numbersOf(open: OpenPdf, array: PdfArray | undefined): readonly number[] {
  return (array?.toArray() ?? []).flatMap((item) => {
    const value = follow(open, item);
    return value instanceof PdfNumber && !Number.isNaN(value.value)
      ? [Math.min(FAR, Math.max(-FAR, value.value))]
      : [];
  });
}

function listsOf(open: OpenPdf, array: PdfArray | undefined): readonly (readonly number[])[] {
  return (array?.toArray() ?? []).flatMap((item) => {
    const value = follow(open, item);
    return value instanceof PdfArray ? [numbersOf(open, value)] : [];
  });
}

export function pointsOf(numbers: readonly number[]): readonly Point[] {
  return Array.from({ length: Math.floor(numbers.length / 2) }, (_, index) => [
    numbers[2 * index] ?? 0,
    numbers[2 * index + 1] ?? 0,
  ]);
}

/** `absent` where the annotation has none, null for a transparent one. */
export function colourOf(
  open: OpenPdf,
  annotation: PdfDict,
  { key, absent }: { readonly key: "C" | "IC"; readonly absent: string | null },
) {
  const array = arrayAt(open, annotation, key);
  if (!array) return absent;
  const components = numbersOf(open, array).map((value) =>
    writeNumber(Math.min(1, Math.max(0, value)), 3),
  );
  const operator = FILLS[components.length];
  return operator === undefined ? null : `${components.join(" ")} ${operator}`;
}

/** Source: ISO 32000-2 §8.6.8, table 73. */
export const forLines = (fill: string): string =>
  fill.replace(/[a-z]+$/, (operator) => operator.toUpperCase());

/** Black lines of one point by default. Source: ISO 32000-2 §12.5.4. */
export function styleOf(open: OpenPdf, annotation: PdfDict): Style {
  const width = borderWidth(open, annotation);
  const colour = colourOf(open, annotation, { key: "C", absent: BLACK });
  return {
    stroke: colour === null || width === 0 ? null : forLines(colour),
    fill: colourOf(open, annotation, { key: "IC", absent: null }),
    width,
    dash: dashOf(open, annotation),
  };
}

function borderWidth(open: OpenPdf, annotation: PdfDict): number {
  const style = dictAt(open, annotation, "BS");
  const said =
    (style && numberAt(open, style, "W")) ??
    numbersOf(open, arrayAt(open, annotation, "Border"))[2] ??
    1;
  return Math.min(FAR, Math.abs(said));
}

function dashOf(open: OpenPdf, annotation: PdfDict): string {
  const style = dictAt(open, annotation, "BS");
  const border = follow(open, arrayAt(open, annotation, "Border")?.at(3));
  const inBorder = border instanceof PdfArray ? numbersOf(open, border) : [];
  if (style && nameAt(open, style, "S") !== "D") return "";
  const inStyle = style ? numbersOf(open, arrayAt(open, style, "D")) : inBorder;
  const lengths = style && inStyle.length === 0 ? DASHES : inStyle;
  if (lengths.every((length) => length <= 0)) return "";
  return `[${lengths.map((length) => writeNumber(Math.max(0, length), 3)).join(" ")}] 0 d `;
}

export function painting({ stroke, fill }: Pick<Style, "stroke" | "fill">): "B" | "S" | "f" | "n" {
  if (stroke !== null) return fill === null ? "S" : "B";
  return fill === null ? "n" : "f";
}

export function settingOf({ stroke, fill, width, dash }: Style): string {
  return `${stroke === null ? "" : `${stroke} `}${fill === null ? "" : `${fill} `}${writeNumber(width, 3)} w ${dash}`;
}

export const written = (points: readonly Point[]): string =>
  points.map(([x, y]) => `${writeNumber(x, 3)} ${writeNumber(y, 3)}`).join(" ");

/** One point gives a line of no length, a dot with round caps (ISO 32000-2 §8.5.3.2). */
export function polyline([first, ...rest]: readonly Point[]): string {
  if (!first) return "";
  return `${written([first])} m ${(rest.length > 0 ? rest : [first]).map((point) => `${written([point])} l`).join(" ")} `;
}

/** Source: ISO 32000-2 §12.5.6.2, table 172 (CA). */
export const opacityOf = (open: OpenPdf, annotation: PdfDict): number =>
  Math.min(1, Math.max(0, numberAt(open, annotation, "CA") ?? 1));

const [WIDTHS, LEAST] = [6, 5] as const;
const CURVE = 0.5523;

/** `along` outwards, `across` to the left, in sizes of the ending. */
type Shape = { readonly points: readonly Point[]; readonly isClosed: boolean };

/** Source: ISO 32000-2 §12.5.6.7, table 179. */
const SHAPES: Readonly<Record<string, Shape>> = {
  Square: {
    points: [
      [-0.5, -0.5],
      [0.5, -0.5],
      [0.5, 0.5],
      [-0.5, 0.5],
    ],
    isClosed: true,
  },
  Diamond: {
    points: [
      [-0.5, 0],
      [0, -0.5],
      [0.5, 0],
      [0, 0.5],
    ],
    isClosed: true,
  },
  OpenArrow: {
    points: [
      [-0.87, 0.5],
      [0, 0],
      [-0.87, -0.5],
    ],
    isClosed: false,
  },
  ClosedArrow: {
    points: [
      [-0.87, 0.5],
      [0, 0],
      [-0.87, -0.5],
    ],
    isClosed: true,
  },
  ROpenArrow: {
    points: [
      [0.87, 0.5],
      [0, 0],
      [0.87, -0.5],
    ],
    isClosed: false,
  },
  RClosedArrow: {
    points: [
      [0.87, 0.5],
      [0, 0],
      [0.87, -0.5],
    ],
    isClosed: true,
  },
  Butt: {
    points: [
      [0, 0.5],
      [0, -0.5],
    ],
    isClosed: false,
  },
  Slash: {
    points: [
      [-0.29, -0.5],
      [0.29, 0.5],
    ],
    isClosed: false,
  },
};

/** How far it reaches beyond its line. Units: points. */
const endingSize = ({ width }: Pick<Style, "width">): number => Math.max(LEAST, WIDTHS * width);

export function endingContent(
  name: string,
  { at, from }: { readonly at: Point; readonly from: Point },
  style: Style,
): string {
  const length = Math.hypot(at[0] - from[0], at[1] - from[1]) || 1;
  const [dx, dy] = [(at[0] - from[0]) / length, (at[1] - from[1]) / length];
  const size = endingSize(style);
  const place = ([along, across]: Point): Point => [
    at[0] + size * (along * dx - across * dy),
    at[1] + size * (along * dy + across * dx),
  ];
  if (name === "Circle")
    return `${ellipse([place([0, 0]), size / 2, size / 2])} ${painting(style)} `;
  const shape = ownEntry(SHAPES, name);
  if (!shape) return "";
  const paint = shape.isClosed ? `h ${painting(style)}` : painting({ ...style, fill: null });
  return `${polyline(shape.points.map(place))}${paint} `;
}

function ellipse([[x, y], rx, ry]: readonly [centre: Point, rx: number, ry: number]): string {
  const [cx, cy] = [CURVE * rx, CURVE * ry];
  const quarter = (...points: readonly Point[]): string => `${written(points)} c`;
  return [
    `${written([[x - rx, y]])} m`,
    quarter([x - rx, y + cy], [x - cx, y + ry], [x, y + ry]),
    quarter([x + cx, y + ry], [x + rx, y + cy], [x + rx, y]),
    quarter([x + rx, y - cy], [x + cx, y - ry], [x, y - ry]),
    quarter([x - cx, y - ry], [x - rx, y - cy], [x - rx, y]),
    "h",
  ].join(" ");
}

export type Frame = readonly [left: number, bottom: number, right: number, top: number];

const NO_ENDING = "None";
/** As PDFium draws it. Units: points. */
const [NOTE, TIP] = [20, 4] as const;

export function frameOf(open: OpenPdf, annotation: PdfDict): Frame {
  const [a = 0, b = 0, c = 0, d = 0] = numbersOf(open, arrayAt(open, annotation, "Rect"));
  return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
}

/** Inside `/RD` and the border. Source: ISO 32000-2 §12.5.6.8, table 180 (RD). */
export function innerFrame(
  open: OpenPdf,
  annotation: PdfDict,
  { width }: Pick<Style, "width">,
): Frame {
  const [left, bottom, right, top] = frameOf(open, annotation);
  const [l = 0, b = 0, r = 0, t = 0] = numbersOf(open, arrayAt(open, annotation, "RD"));
  const half = width / 2;
  const inner: Frame = [left + l + half, bottom + b + half, right - r - half, top - t - half];
  return inner[0] < inner[2] && inner[1] < inner[3] ? inner : [left, bottom, right, top];
}

export function squareContent(open: OpenPdf, annotation: PdfDict): string {
  const style = styleOf(open, annotation);
  return `${settingOf(style)}${boxPath(innerFrame(open, annotation, style))}${painting(style)} `;
}

export const boxPath = ([left, bottom, right, top]: Frame): string =>
  `${[left, bottom, right - left, top - bottom].map((value) => writeNumber(value, 3)).join(" ")} re `;

export function circleContent(open: OpenPdf, annotation: PdfDict): string {
  const style = styleOf(open, annotation);
  const [left, bottom, right, top] = innerFrame(open, annotation, style);
  const centre: Point = [(left + right) / 2, (bottom + top) / 2];
  return `${settingOf(style)}${ellipse([centre, (right - left) / 2, (top - bottom) / 2])} ${painting(style)} `;
}

/** With leader lines. Source: ISO 32000-2 §12.5.6.7. */
export function lineContent(open: OpenPdf, annotation: PdfDict): string {
  const style = styleOf(open, annotation);
  const [start, end] = pointsOf(numbersOf(open, arrayAt(open, annotation, "L")));
  if (!start || !end) return "";
  const length = Math.hypot(end[0] - start[0], end[1] - start[1]) || 1;
  const leader = numberAt(open, annotation, "LL") ?? 0;
  const [offset, extension] = ["LLO", "LLE"].map(
    (key) => Math.sign(leader) * (numberAt(open, annotation, key) ?? 0),
  ) as [number, number];
  const raised = ([x, y]: Point, by: number): Point => [
    x - ((end[1] - start[1]) / length) * by,
    y + ((end[0] - start[0]) / length) * by,
  ];
  const ends: readonly [Point, Point] = [
    raised(start, offset + leader),
    raised(end, offset + leader),
  ];
  const leaders =
    leader === 0
      ? ""
      : [start, end]
          .map(
            (point) =>
              `${polyline([raised(point, offset), raised(point, offset + leader + extension)])}S `,
          )
          .join("");
  const drawn = style.stroke === null ? "" : `${polyline(ends)}S ${leaders}`;
  return settingOf(style) + drawn + endingsContent(open, annotation, { path: ends, style });
}

function endingsContent(
  open: OpenPdf,
  annotation: PdfDict,
  { path, style }: { readonly path: readonly Point[]; readonly style: Style },
): string {
  const names = arrayAt(open, annotation, "LE")
    ?.toArray()
    .map((item) => follow(open, item));
  const [first = NO_ENDING, last = NO_ENDING] = (names ?? []).map((name) =>
    name instanceof PdfName ? name.value : NO_ENDING,
  );
  const [start, second, beforeLast, end] = [path[0], path[1], path.at(-2), path.at(-1)];
  if (!start || !second || !beforeLast || !end) return "";
  return (
    endingContent(first, { at: start, from: second }, style) +
    endingContent(last, { at: end, from: beforeLast }, style)
  );
}

/** Source: ISO 32000-2 §12.5.6.9. */
export function polygonContent(open: OpenPdf, annotation: PdfDict): string {
  const style = styleOf(open, annotation);
  const isClosed = nameAt(open, annotation, "Subtype") === "Polygon";
  const vertices = pointsOf(numbersOf(open, arrayAt(open, annotation, "Vertices")));
  const path = curves(open, annotation) || polyline(vertices);
  if (path === "") return "";
  if (isClosed) return `${settingOf(style)}${path}h ${painting(style)} `;
  return `${settingOf(style)}${path}${painting({ ...style, fill: null })} ${endingsContent(open, annotation, { path: vertices, style })}`;
}

/** Source: ISO 32000-2 §12.5.6.13. */
export function inkContent(open: OpenPdf, annotation: PdfDict): string {
  const style = styleOf(open, annotation);
  if (style.stroke === null) return "";
  const strokes = listsOf(open, arrayAt(open, annotation, "InkList")).map(
    (numbers) => `${polyline(pointsOf(numbers))}S `,
  );
  const path = curves(open, annotation);
  return `${settingOf(style)}1 J 1 j ${path === "" ? strokes.join("") : `${path}S `}`;
}

/** PDF 2.0. Source: ISO 32000-2 §12.5.6.9, table 181 (Path). */
function curves(open: OpenPdf, annotation: PdfDict): string {
  return listsOf(open, arrayAt(open, annotation, "Path"))
    .flatMap((numbers, index) => {
      if (numbers.length !== 2 && numbers.length !== 6) return [];
      return [
        `${written(pointsOf(numbers))} ${numbers.length === 6 ? "c" : index === 0 ? "m" : "l"} `,
      ];
    })
    .join("");
}

/** Source: ISO 32000-2 §12.5.6.11. */
export function caretContent(open: OpenPdf, annotation: PdfDict): string {
  const { stroke } = styleOf(open, annotation);
  if (stroke === null) return "";
  const [left, bottom, right, top] = innerFrame(open, annotation, { width: 0 });
  const middle = (left + right) / 2;
  const tip = written([
    [middle, bottom],
    [middle, (bottom + top) / 2],
    [middle, top],
  ]);
  const back = written([
    [middle, (bottom + top) / 2],
    [middle, bottom],
    [right, bottom],
  ]);
  return `${stroke.toLowerCase()} ${written([[left, bottom]])} m ${tip} c ${back} c h f `;
}

/** Each reader draws icons in its own way: ours has one size, at the lower left corner. */
export function noteFrame(open: OpenPdf, annotation: PdfDict): Frame {
  const [left, bottom] = frameOf(open, annotation);
  return [left, bottom, left + NOTE, bottom + NOTE];
}

export function noteContent(open: OpenPdf, annotation: PdfDict): string {
  const [left, bottom, right, top] = noteFrame(open, annotation);
  const [l, b, r, t] = [left + 0.5, bottom + 0.5 + TIP, right - 0.5, top - 0.5];
  const outline: Point[] = [
    [l, b],
    [l, t],
    [r, t],
    [r, b],
    [l + 2 * TIP, b],
    [l + 1.5 * TIP, b - TIP],
    [l + TIP, b],
    [l, b],
  ];
  const lines = [1, 2, 3].map((line): Point[] => [
    [l + 2, t - (line * (t - b)) / 4],
    [r - 2, t - (line * (t - b)) / 4],
  ]);
  return `1 1 0 rg 0 G 1 w ${polyline(outline)}${lines.map(polyline).join("")}B* `;
}

/** How far the lines reach beyond the points. */
export function reachOf(open: OpenPdf, annotation: PdfDict): number {
  const style = styleOf(open, annotation);
  const leaders = ["LL", "LLO", "LLE"].reduce(
    (sum, key) => sum + Math.abs(numberAt(open, annotation, key) ?? 0),
    0,
  );
  return Math.min(style.width * 5 + endingSize(style) + leaders, 14_400);
}

export function pointsNamed(open: OpenPdf, annotation: PdfDict): readonly Point[] {
  const flat = ["L", "Vertices", "QuadPoints", "CL"].flatMap((key) =>
    numbersOf(open, arrayAt(open, annotation, key)),
  );
  const nested = ["InkList", "Path"].flatMap((key) =>
    listsOf(open, arrayAt(open, annotation, key)).flat(),
  );
  return [...pointsOf(flat), ...pointsOf(nested)];
}
