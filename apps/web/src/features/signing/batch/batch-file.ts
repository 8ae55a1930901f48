import type { BatchPlacement } from "@paraphe/contracts";
import { formatDecimal } from "@paraphe/kernel/french-numbers";
import type { Box } from "../../../pdf/box.ts";
import type { PageSize } from "../../../pdf/page-layout.ts";

/** A chosen file: read in the page before anything is sent. */
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
/** A file that can be signed. */
export type ReadyFile = BatchFile & {
  readonly state: Extract<BatchFile["state"], { kind: "ready" }>;
};

export function isReady(file: BatchFile): file is ReadyFile {
  return file.state.kind === "ready";
}

/** Which pages are signed; `number` counts from 1. */
export type PageRule =
  | { readonly kind: "last" | "first" | "all" }
  | { readonly kind: "number"; readonly number: number };
/** One place, on the pages that a rule names. */
export type Place = { readonly rule: PageRule; readonly box: Box };

export const RULE_WORDS: readonly (readonly [PageRule["kind"], string])[] = [
  ["last", "Dernière page"],
  ["first", "Première page"],
  ["all", "Toutes les pages"],
  ["number", "Page précise"],
];

/** Gives the pages of a file that are signed; none when it does not have that page. */
export function signedPages(rule: PageRule, pageCount: number): readonly number[] {
  if (rule.kind === "all") return Array.from({ length: pageCount }, (_, index) => index + 1);
  const page = rule.kind === "number" ? rule.number : rule.kind === "last" ? pageCount : 1;
  return page >= 1 && page <= pageCount ? [page] : [];
}

/** Gives the size of the page that stands for a file: the one that is signed, or the first of several. */
export function modelSize(rule: PageRule, { state }: ReadyFile): PageSize {
  return rule.kind === "last" || (rule.kind === "number" && rule.number === state.pageCount)
    ? state.last
    : state.first;
}

/** Gives a place as the service takes it. */
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

/** Gives what keeps a file from being signed there, or null. */
export function placeFault(rule: PageRule, pageCount: number): string | null {
  if (rule.kind !== "number" || rule.number <= pageCount) return null;
  return `La page ${rule.number} n’existe pas dans ce fichier`;
}

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

/** Gives the French name of a page's format: « A4 portrait », « 21 × 15 cm ». Two pages of one name are of one size, but for a millimetre. */
export function pageFormat({ width, height }: PageSize): string {
  const [short, long] = width < height ? [width, height] : [height, width];
  const named = NAMED.find(
    ([, shortPt, longPt]) =>
      Math.abs(short - shortPt) <= SLACK_PT && Math.abs(long - longPt) <= SLACK_PT,
  );
  if (named) return `${named[0]} ${width <= height ? "portrait" : "paysage"}`;
  return `${formatDecimal(width / POINTS_PER_CM)} × ${formatDecimal(height / POINTS_PER_CM)} cm`;
}

/** Gives the formats of these pages with how many there are of each, the largest group first. */
export function groupFormats(
  sizes: readonly PageSize[],
): readonly { readonly format: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const size of sizes) counts.set(pageFormat(size), (counts.get(pageFormat(size)) ?? 0) + 1);
  return [...counts]
    .map(([format, count]) => ({ format, count }))
    .sort((a, b) => b.count - a.count);
}

/** Said of a file whose signature would lie over its words. */
export const COVERS_TEXT = "Recouvre du texte";
