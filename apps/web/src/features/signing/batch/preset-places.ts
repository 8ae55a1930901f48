import type { PagePlace } from "../../../lib/signing-preferences.ts";
import { type Box, boxInPage } from "../../../pdf/box.ts";

const MARGIN = 0.06;
const COLUMNS = [
  ["gauche", 0],
  ["centre", 0.5],
  ["droite", 1],
] as const;
const ROWS = [
  ["haut", 0],
  ["milieu", 0.5],
  ["bas", 1],
] as const;

/** One of nine places of a page; `across` and `down` from 0 to 1. */
export type Preset = {
  readonly id: PagePlace;
  readonly label: string;
  readonly across: number;
  readonly down: number;
};

export const PRESETS: readonly Preset[] = ROWS.flatMap(([row, down]) =>
  COLUMNS.map(([column, across]) => ({
    id: `${row}-${column}` as const,
    label: `${row === "milieu" ? "Au milieu" : `En ${row}`}, ${column === "centre" ? "au centre" : `à ${column}`}`,
    across,
    down,
  })),
);

/** Gives the box moved to that place, a margin from the page's edges. */
export function presetBox(
  { across, down }: Pick<Preset, "across" | "down">,
  { width, height }: Box,
): Box {
  const room = { x: 1 - 2 * MARGIN - width, y: 1 - 2 * MARGIN - height };
  return boxInPage({ x: MARGIN + across * room.x, y: MARGIN + down * room.y, width, height });
}

/** Gives the box moved to a place that somebody prefers; left where it is when that is blank space, which no page is known to have yet. */
export function preferredBox(place: PagePlace | "free", box: Box): Box {
  const preset = PRESETS.find(({ id }) => id === place);
  return preset === undefined ? box : presetBox(preset, box);
}

/** Gives the place that a box stands on, or null. */
export function nearestPreset(box: Box): string | null {
  const same = (a: number, b: number) => Math.abs(a - b) < 0.002;
  return (
    PRESETS.find(
      (preset) => same(presetBox(preset, box).x, box.x) && same(presetBox(preset, box).y, box.y),
    )?.id ?? null
  );
}
