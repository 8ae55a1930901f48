import type { Layout, LayoutField } from "@paraphe/contracts";
import type { Place } from "./page-rule.ts";

/** Gives a place as a layout keeps it: a layout has pages, no rule, so that « toutes les pages » is kept as the last one. */
export function layoutOfPlace({ rule, box }: Place): readonly LayoutField[] {
  const page = rule.kind === "number" ? rule.number : rule.kind === "first" ? 1 : -1;
  const { x, y, width, height } = box;
  return [{ document_rank: 0, person_rank: 0, type: "signature", page, x, y, width, height, required: true, label: null, value: null }];
}

/** Gives the place of the first signature of a layout, made here or while preparing; null when it has none. */
export function placeOfLayout({ fields }: Pick<Layout, "fields">): Place | null {
  const [first] = fields
    .filter(({ type }) => type === "signature")
    .sort((a, b) => a.person_rank - b.person_rank || a.document_rank - b.document_rank);
  if (first === undefined) return null;
  const { page, x, y, width, height } = first;
  const rule =
    page === -1 ? ({ kind: "last" } as const) : page === 1 ? ({ kind: "first" } as const) : ({ kind: "number", number: page } as const);
  return { rule, box: { x, y, width, height } };
}
