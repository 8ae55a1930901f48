import type { OpenPdf } from "../pdf/open-pdf.ts";
import { isFirstPageAsSaid } from "./first-page.ts";
import { agreesWithHidden } from "./hybrid-sections.ts";
import { readPageTree } from "./page-tree.ts";
import { areStrictObjects } from "./strict-objects.ts";

/**
 * Says whether every reader reads the same in a file, or a revision of one: where its objects are, what they are, and which pages it has.
 * Shape: `open` has a sound cross-reference (`blocker` is null).
 * Errors: PadesError `pdf_too_complex`.
 * Source: security §2; ISO 32000-2 §7.3, §7.5, §7.7.3.
 */
export function isStrictRevision(open: OpenPdf): boolean {
  return (!open.isHybrid || agreesWithHidden(open)) && areStrictObjects(open) && readPageTree(open) === "strict" && isFirstPageAsSaid(open);
}
