import { PdfDict, PdfNumber, type PdfObject, PdfRef } from "@libpdf/core";
import { arrayAt, follow, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";

/** A node of the page tree, with what lists it; null for the root. */
type Listed = { readonly node: PdfDict; readonly lister: PdfRef | PdfDict | null };

/**
 * Counts the nodes of the page tree whose `/Parent` is not the node that lists them. Boxes, turns and resources are inherited: some readers
 * look for them where `/Parent` leads, others where they came from.
 * Source: ISO 32000-2 §7.7.3.2 (tables 30 and 31), §7.7.3.4.
 */
export function misledPages(open: OpenPdf): number {
  let count = 0;
  for (const { node, lister } of listedNodes(open)) if (follow(open, node.get("Parent")) !== follow(open, lister)) count += 1;
  return count;
}

/** Has each node of the page tree name the one that lists it, and say how many pages are below it. */
export function adoptPages(open: OpenPdf): void {
  countPages(open, open.catalog.get("Pages"), 0);
  for (const { node, lister } of listedNodes(open)) {
    if (lister === null) node.delete("Parent");
    else node.set("Parent", lister);
  }
}

/** As deep as the parser goes. */
const MAX_DEPTH = 256;

function countPages(open: OpenPdf, item: PdfObject | undefined, depth: number): number {
  const node = follow(open, item);
  const kids = node instanceof PdfDict && depth < MAX_DEPTH ? arrayAt(open, node, "Kids") : undefined;
  if (!(node instanceof PdfDict) || !kids) return 1;
  const count = kids.toArray().reduce((sum, kid) => sum + countPages(open, kid, depth + 1), 0);
  if (numberAt(open, node, "Count") !== count) node.set("Count", PdfNumber.of(count));
  return count;
}

/** Each node once: a tree that lists one twice is refused before. */
function* listedNodes(open: OpenPdf): Generator<Listed> {
  const waiting: { item: PdfObject | undefined; lister: Listed["lister"] }[] = [{ item: open.catalog.get("Pages"), lister: null }];
  const seen = new Set<PdfDict>();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const node = follow(open, next.item);
    if (!(node instanceof PdfDict) || seen.has(node)) continue;
    seen.add(node);
    yield { node, lister: next.lister };
    const lister = next.item instanceof PdfRef ? next.item : node;
    for (const item of arrayAt(open, node, "Kids") ?? []) waiting.push({ item, lister });
  }
}
