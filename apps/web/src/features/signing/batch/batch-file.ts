import type { BatchPlacement } from "@paraphe/contracts";
import { formatDecimal } from "@paraphe/kernel/french-numbers";
import type { Box } from "../../../pdf/box.ts";
import type { PageSize } from "../../../pdf/page-layout.ts";

export type BatchFile = {
  readonly key: string;
  readonly file: File;
  readonly state:
    | { readonly kind: "reading" }
    | {
        readonly kind: "ready";
        readonly pageCount: number;
        readonly first: PageSize;
        readonly last: PageSize;
      }
    | { readonly kind: "refused"; readonly reason: string };
};
export type ReadyFile = BatchFile & {
  readonly state: Extract<BatchFile["state"], { kind: "ready" }>;
};

export function isReady(file: BatchFile): file is ReadyFile {
  return file.state.kind === "ready";
}

/** `number` counts from 1. */
export type PageRule =
  | { readonly kind: "last" | "first" | "all" }
  | { readonly kind: "number"; readonly number: number };
export type Place = { readonly rule: PageRule; readonly box: Box };

export const RULE_WORDS: readonly (readonly [PageRule["kind"], string])[] = [
  ["last", "Dernière page"],
  ["first", "Première page"],
  ["all", "Toutes les pages"],
  ["number", "Page précise"],
];

export function signedPages(rule: PageRule, pageCount: number): readonly number[] {
  if (rule.kind === "all") return Array.from({ length: pageCount }, (_, index) => index + 1);
  const page = rule.kind === "number" ? rule.number : rule.kind === "last" ? pageCount : 1;
  return page >= 1 && page <= pageCount ? [page] : [];
}

/** Gives the size of the first signed page. */
export function modelSize(rule: PageRule, { state }: ReadyFile): PageSize {
  return rule.kind === "last" || (rule.kind === "number" && rule.number === state.pageCount)
    ? state.last
    : state.first;
}

export function placementOf({ rule, box }: Place): BatchPlacement {
  const page =
    rule.kind === "number"
      ? rule.number
      : rule.kind === "all"
        ? rule.kind
        : rule.kind === "last"
          ? -1
          : 1;
  return { page, x: box.x, y: box.y, width: box.width, height: box.height };
}

export function placeFault(rule: PageRule, pageCount: number): string | null {
  if (rule.kind !== "number" || rule.number <= pageCount) return null;
  return `La page ${rule.number} n’existe pas dans ce fichier`;
}

/** ISO 216 and US sizes; points, portrait. */
const NAMED: readonly (readonly [string, number, number])[] = [
  ["A3", 842, 1191],
  ["A4", 595, 842],
  ["A5", 420, 595],
  ["Lettre US", 612, 792],
  ["Legal US", 612, 1008],
];
const SLACK_PT = 4;
const POINTS_PER_CM = 72 / 2.54;

/** « A4 portrait », « 21 × 15 cm »; sizes of one name differ by under 1 mm. */
export function pageFormat({ width, height }: PageSize): string {
  const [short, long] = width < height ? [width, height] : [height, width];
  const named = NAMED.find(
    ([, shortPt, longPt]) =>
      Math.abs(short - shortPt) <= SLACK_PT && Math.abs(long - longPt) <= SLACK_PT,
  );
  if (named) return `${named[0]} ${width <= height ? "portrait" : "paysage"}`;
  return `${formatDecimal(width / POINTS_PER_CM)} × ${formatDecimal(height / POINTS_PER_CM)} cm`;
}

export function groupFormats(
  sizes: readonly PageSize[],
): readonly { readonly format: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const size of sizes) counts.set(pageFormat(size), (counts.get(pageFormat(size)) ?? 0) + 1);
  return [...counts]
    .map(([format, count]) => ({ format, count }))
    .sort((a, b) => b.count - a.count);
}

export const COVERS_TEXT = "Recouvre du texte";
