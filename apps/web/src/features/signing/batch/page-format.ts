import type { PageSize } from "../../../pdf/page-layout.ts";

/** ISO 216, and the two American sizes; points, upright. */
const NAMED: readonly (readonly [string, number, number])[] = [
  ["A3", 842, 1191],
  ["A4", 595, 842],
  ["A5", 420, 595],
  ["Lettre US", 612, 792],
  ["Legal US", 612, 1008],
];
const SLACK_PT = 4;
const POINTS_PER_CM = 72 / 2.54;
const cm = new Intl.NumberFormat("fr-FR", { maximumFractionDigits: 1 });

/** Gives the French name of a page's format: « A4 portrait », « 21 × 15 cm ». Two pages of one name are of one size, but for a millimetre. */
export function pageFormat({ width, height }: PageSize): string {
  const [short, long] = width < height ? [width, height] : [height, width];
  const named = NAMED.find(([, shortPt, longPt]) => Math.abs(short - shortPt) <= SLACK_PT && Math.abs(long - longPt) <= SLACK_PT);
  if (named) return `${named[0]} ${width <= height ? "portrait" : "paysage"}`;
  return `${cm.format(width / POINTS_PER_CM)} × ${cm.format(height / POINTS_PER_CM)} cm`;
}

/** Gives the formats of these pages with how many there are of each, the largest group first. */
export function groupFormats(sizes: readonly PageSize[]): readonly { readonly format: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const size of sizes) counts.set(pageFormat(size), (counts.get(pageFormat(size)) ?? 0) + 1);
  return [...counts].map(([format, count]) => ({ format, count })).sort((a, b) => b.count - a.count);
}
