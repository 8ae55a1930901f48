import { PdfDict, PdfNumber, PdfRef, PdfStream } from "@libpdf/core";
import { arrayAt, follow, nameAt, type OpenPdf } from "../pdf/open-pdf.ts";

/** `miscounted`: the same pages for all, in nodes that say another number of them; `unsure`: pages that one reader shows and another does not. */
export type PageTreeReading = "strict" | "miscounted" | "unsure";

type Reading = { readonly open: OpenPdf; readonly met: Set<PdfDict>; isMiscounted: boolean };
/** As deep as the parser goes. */
const MAX_DEPTH = 256;

/**
 * Says whether every reader counts the same pages in the same order: nodes say what they are, nodes of pages how many leaves are below
 * them, each kid is a reference to one, met once.
 * Source: ISO 32000-2 §7.7.3.2, table 30 (Kids: indirect references; Count: the leaves below), §7.7.3.3, table 31 (Type is required).
 */
export function readPageTree(open: OpenPdf): PageTreeReading {
  const root = open.catalog.get("Pages");
  const reading: Reading = { open, met: new Set(), isMiscounted: false };
  if (!(root instanceof PdfRef) || leavesBelow(reading, root, 0) <= 0) return "unsure";
  return reading.isMiscounted ? "miscounted" : "strict";
}

/** Gives the number of leaves that a node stands for; -1 where two readers may meet others. */
function leavesBelow(reading: Reading, ref: PdfRef, depth: number): number {
  const { open, met } = reading;
  const node = open.pdf.context.resolve(ref);
  if (!(node instanceof PdfDict) || node instanceof PdfStream || met.has(node) || depth > MAX_DEPTH) return -1;
  met.add(node);
  const type = nameAt(open, node, "Type");
  if (type === "Page") return depth > 0 && !node.has("Kids") ? 1 : -1;
  const kids = type === "Pages" ? arrayAt(open, node, "Kids") : undefined;
  if (!kids) return -1;
  let leaves = 0;
  for (const kid of kids) {
    const below = kid instanceof PdfRef ? leavesBelow(reading, kid, depth + 1) : -1;
    if (below < 0) return -1;
    leaves += below;
  }
  const count = follow(open, node.get("Count"));
  if (!(count instanceof PdfNumber) || count.value !== leaves) reading.isMiscounted = true;
  return leaves;
}
