import { useState } from "react";
import {
  type PagePlace,
  readSigningPreferences,
} from "../../../lib/browser/signing-preferences.ts";
import { type Box, boxInPage, moveBox, resizeBox } from "../../../pdf/box.ts";
import type { FieldKeyAction } from "../../../pdf/fields/field-keys.ts";
import type { PageSize } from "../../../pdf/page-layout.ts";
import type { BatchFile, PageRule, Place, ReadyFile } from "./batch-file.ts";

const START: Place = {
  rule: { kind: "last" },
  box: { x: 0.6, y: 0.82, width: 0.32, height: 0.08 },
};

export function usePlacing() {
  const [common, setCommon] = useState<Place>(() => ({
    ...START,
    box: preferredBox(readSigningPreferences().place, START.box),
  }));
  const [own, setOwn] = useState<ReadonlyMap<string, Place>>(new Map());
  const placeOf = (file: Pick<BatchFile, "key">): Place => own.get(file.key) ?? common;
  const change = (file: Pick<BatchFile, "key">, part: Partial<Place>) => {
    if (own.has(file.key))
      setOwn((all) => new Map(all).set(file.key, { ...placeOf(file), ...part }));
    else setCommon((place) => ({ ...place, ...part }));
  };
  return {
    common,
    own,
    placeOf,
    setRule: (file: ReadyFile, rule: PageRule) => change(file, { rule }),
    setPlace: (file: ReadyFile, { rule, box }: Place) =>
      change(file, { rule, box: boxInPage(box) }),
    setBox: (file: ReadyFile, box: Box) => change(file, { box: boxInPage(box) }),
    toggleOwn(file: ReadyFile) {
      setOwn((all) => {
        const next = new Map(all);
        if (!next.delete(file.key)) next.set(file.key, common);
        return next;
      });
    },
    /** Moves by points of the displayed page. */
    nudge(file: ReadyFile, action: FieldKeyAction, size: PageSize) {
      if (action.kind !== "move" && action.kind !== "resize") return;
      const by = { dx: action.by.dx / size.width, dy: action.by.dy / size.height };
      const { box } = placeOf(file);
      change(file, { box: action.kind === "move" ? moveBox(box, by) : resizeBox(box, "se", by) });
    },
  };
}
export type Placing = ReturnType<typeof usePlacing>;

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

/** `across` and `down`: 0 to 1. */
type Preset = {
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

export function presetBox(
  { across, down }: Pick<Preset, "across" | "down">,
  { width, height }: Box,
): Box {
  const room = { x: 1 - 2 * MARGIN - width, y: 1 - 2 * MARGIN - height };
  return boxInPage({ x: MARGIN + across * room.x, y: MARGIN + down * room.y, width, height });
}

/** `free` (blank space) moves nothing, because no page is known yet. */
export function preferredBox(place: PagePlace | "free", box: Box): Box {
  const preset = PRESETS.find(({ id }) => id === place);
  return preset === undefined ? box : presetBox(preset, box);
}

export function nearestPreset(box: Box): string | null {
  const same = (a: number, b: number) => Math.abs(a - b) < 0.002;
  return (
    PRESETS.find(
      (preset) => same(presetBox(preset, box).x, box.x) && same(presetBox(preset, box).y, box.y),
    )?.id ?? null
  );
}
