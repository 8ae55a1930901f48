import type { Box, Rotation } from "../pdf/page-geometry.ts";
import { writeNumber } from "../pdf/write-object.ts";

/**
 * A rectangle of an appearance.
 * Units: points from the bottom-left corner, upright as displayed.
 */
export type Area = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** A dark blue, legible when printed in grey. */
export const INK = "0.06 0.12 0.36";

/** A widget's displayed size. Units: user space. */
export type Size = { readonly width: number; readonly height: number };

/** The displayed size of a rectangle on a rotated page. */
export function displayedSize([left, bottom, right, top]: Box, rotation: Rotation): Size {
  const [width, height] = [right - left, top - bottom];
  return rotation === 90 || rotation === 270 ? { width: height, height: width } : { width, height };
}

/**
 * The entries of an appearance that is upright on a page of this rotation.
 * Source: ISO 32000-2 §12.5.5 (algorithm: appearance streams), §8.10.2.
 */
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
