import { ownEntry } from "../own-entry.ts";
import { painting, type Point, polyline, type Style, written } from "./annotation-style.ts";

/** How large an ending is, in widths of its line, and at least. Units: points. */
const [WIDTHS, LEAST] = [6, 5] as const;
const CURVE = 0.5523;

/** Points from the line's end: `along` away from the line, `across` to its left. In sizes of the ending. */
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

/** How far an ending reaches from the end of its line. Units: points. */
export const endingSize = ({ width }: Pick<Style, "width">): number => Math.max(LEAST, WIDTHS * width);

/** Gives what stands at the end `at` of a line that comes from `from`; nothing for an ending that is none, or unknown. */
export function endingContent(name: string, { at, from }: { readonly at: Point; readonly from: Point }, style: Style): string {
  const length = Math.hypot(at[0] - from[0], at[1] - from[1]) || 1;
  const [dx, dy] = [(at[0] - from[0]) / length, (at[1] - from[1]) / length];
  const size = endingSize(style);
  const place = ([along, across]: Point): Point => [at[0] + size * (along * dx - across * dy), at[1] + size * (along * dy + across * dx)];
  if (name === "Circle") return `${ellipse([place([0, 0]), size / 2, size / 2])} ${painting(style)} `;
  const shape = ownEntry(SHAPES, name);
  if (!shape) return "";
  const paint = shape.isClosed ? `h ${painting(style)}` : painting({ ...style, fill: null });
  return `${polyline(shape.points.map(place))}${paint} `;
}

/** Gives the path of an ellipse. */
export function ellipse([[x, y], rx, ry]: readonly [centre: Point, rx: number, ry: number]): string {
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
