import type { BatchPlacement } from "@paraphe/contracts";
import type { Box } from "../../../pdf/box.ts";
import type { PageSize } from "../../../pdf/page-layout.ts";
import type { ReadyFile } from "./batch-file.ts";

/** Which pages are signed; `number` counts from 1. */
export type PageRule = { readonly kind: "last" | "first" | "all" } | { readonly kind: "number"; readonly number: number };
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
  return rule.kind === "last" || (rule.kind === "number" && rule.number === state.pageCount) ? state.last : state.first;
}

/** Gives a place as the service takes it. */
export function placementOf({ rule, box }: Place): BatchPlacement {
  const page = rule.kind === "number" ? rule.number : rule.kind === "all" ? rule.kind : rule.kind === "last" ? -1 : 1;
  return { page, x: box.x, y: box.y, width: box.width, height: box.height };
}

/** Gives what keeps a file from being signed there, or null. */
export function placeFault(rule: PageRule, pageCount: number): string | null {
  if (rule.kind !== "number" || rule.number <= pageCount) return null;
  return `La page ${rule.number} n’existe pas dans ce fichier`;
}
