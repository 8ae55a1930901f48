import { PdfArray, PdfDict, type PdfObject, PdfRef, PdfString } from "@libpdf/core";
import { arrayAt, dictAt, follow, type OpenPdf } from "../pdf/open-pdf.ts";
import { readPage } from "../pdf/page-geometry.ts";
import type { WorkBudget } from "../pdf/byte-reader.ts";
import { writeObject } from "../pdf/write-object.ts";
import { FieldComparison } from "./compare-fields.ts";
import { DESCRIPTIVE_ENTRIES, informationStays } from "./descriptive-changes.ts";
import { defaultsStay } from "./form-defaults.ts";
import { PairedWalk } from "./paired-walk.ts";
import { coveredPart, staysInPlace } from "./signature-looks.ts";

/** `part`: a fraction of the page; `isNew`: the field came in this update. */
export type CoveredPlace = {
  readonly page: string;
  readonly widget: string;
  readonly part: number;
  readonly isNew: boolean;
};

/**
 * `filled`: another value or a first appearance; `repainted`: another appearance only; `shown`: new
 * visible signature fields; `isForbidden`: no rule allows a change.
 */
export type Changes = {
  readonly isForbidden: boolean;
  readonly isSigning: boolean;
  readonly filled: readonly string[];
  readonly repainted: readonly string[];
  readonly shown: readonly string[];
  readonly covered: readonly CoveredPlace[];
};

/**
 * Compares what two successive revisions show. An object defined later behind a dangling reference
 * (shadow attacks) is a difference, and what no rule allows is forbidden.
 * Errors: PadesError `pdf_too_complex` once the budget of values is spent.
 * Source: ISO 32000-2 §12.8.2.2, §12.8.2.4; Mainka et al., "Shadow Attacks"; Rohlmann et al.,
 * "Breaking the Specification".
 */
export function compareRevisions(before: OpenPdf, after: OpenPdf, budget: WorkBudget): Changes {
  return new Comparison(new PairedWalk(before, after, budget)).classify();
}

/** Source: ISO 32000-2 §7.7.2, table 29. */
const CATALOG_ENTRIES = new Set(
  "Type Version Extensions Pages PageLabels Names Dests ViewerPreferences PageLayout PageMode Outlines Threads OpenAction AA URI AcroForm Metadata StructTreeRoot MarkInfo Lang SpiderInfo OutputIntents PieceInfo OCProperties Perms Legal Requirements Collection NeedsRendering DSS AF DPartRoot".split(
    " ",
  ),
);

/** Tolerance: iText 2 notes its version there. */
const ITEXT_NOTE = "ITXT";
/** Each has its own rule. */
const FORM_NOTES = new Set(["SigFlags", "DA", "DR"]);

const isList = (value: PdfObject | undefined): boolean =>
  value === undefined || value instanceof PdfArray;

class Comparison {
  private readonly walk: PairedWalk;
  private readonly fields: FieldComparison;
  private readonly covered: CoveredPlace[] = [];

  constructor(walk: PairedWalk) {
    this.walk = walk;
    this.fields = new FieldComparison(walk);
  }

  classify(): Changes {
    const { walk, fields, covered } = this;
    const { before, after } = walk;
    const [pages = [], now = []] = [before, after].map((open) =>
      open.pdf.context.pages.getPages().map(writeObject),
    );
    for (const page of pages) walk.ruledPages.add(page);
    walk.require(pages.join() === now.join() && informationStays(before, after));
    fields.compare();
    this.comparePageTree();
    this.compareForm();
    this.compareCatalog();
    for (const ref of before.pdf.context.pages.getPages())
      if (!walk.isForbidden) this.comparePage(ref);
    const { isSigning, filled, repainted, shown } = fields;
    return { isForbidden: walk.isForbidden, isSigning, filled, repainted, shown, covered };
  }

  /** Tolerance: iText 2 notes its version there. A root met in another role may not differ. */
  private comparePageTree(): void {
    const { walk } = this;
    const [root, same] = [walk.before, walk.after].map(({ catalog }) => catalog.get("Pages"));
    const [before, after] = [follow(walk.before, root), follow(walk.after, same)];
    const isOne =
      root instanceof PdfRef && same instanceof PdfRef && writeObject(root) === writeObject(same);
    if (!isOne || !(before instanceof PdfDict) || !(after instanceof PdfDict)) return;
    walk.ruledPages.add(writeObject(root));
    const changed = walk.compareDicts(before, after, (key) =>
      key === ITEXT_NOTE ? "note" : "same",
    );
    const isNote = [before.get(ITEXT_NOTE) ?? after.get(ITEXT_NOTE), after.get(ITEXT_NOTE)].every(
      (note) => note instanceof PdfString,
    );
    walk.require(changed.length === 0 || isNote);
  }

  private compareCatalog(): void {
    const { before, after } = this.walk;
    const isItself = (key: string): boolean =>
      !CATALOG_ENTRIES.has(key) &&
      [before, after].every(({ catalog, catalogRef }) => catalog.get(key) === catalogRef);
    const changed = this.walk.compareDicts(before.catalog, after.catalog, (key) => {
      if (isItself(key)) return "skip";
      // Source: EN 319 142-1 §5.4.2.
      if (key === "AcroForm" || key === "DSS") return "skip";
      return Object.hasOwn(DESCRIPTIVE_ENTRIES, key) ? "note" : "same";
    });
    this.walk.require(changed.every((key) => DESCRIPTIVE_ENTRIES[key]?.(before, after)));
  }

  private compareForm(): void {
    const { walk } = this;
    const [before, after] = [
      dictAt(walk.before, walk.before.catalog, "AcroForm"),
      dictAt(walk.after, walk.after.catalog, "AcroForm"),
    ];
    if (!before || !after) return walk.require(false);
    const changed = walk.compareDicts(before, after, (key) =>
      key === "Fields" ? "skip" : FORM_NOTES.has(key) ? "note" : "same",
    );
    walk.require(
      !changed.includes("SigFlags") || follow(walk.after, after.get("SigFlags"))?.type === "number",
    );
    walk.require(defaultsStay(walk, { before, after }, changed));
  }

  private comparePage(ref: PdfRef): void {
    const { walk } = this;
    const [before, after] = [follow(walk.before, ref), follow(walk.after, ref)];
    if (!(before instanceof PdfDict) || !(after instanceof PdfDict)) return walk.require(false);
    // Anything but a list may mean something in another role of the dictionary.
    const areLists = [
      follow(walk.before, before.get("Annots")),
      follow(walk.after, after.get("Annots")),
    ].every(isList);
    walk.compareDicts(before, after, (key) => (key === "Annots" && areLists ? "skip" : "same"));
    const [listed, now] = [
      arrayAt(walk.before, before, "Annots")?.toArray() ?? [],
      arrayAt(walk.after, after, "Annots")?.toArray() ?? [],
    ];
    for (const [index, item] of listed.entries()) {
      walk.requireSame(item, now[index], "Annots");
      this.noteOldWidget(ref, item);
    }
    for (const item of now.slice(listed.length)) this.checkNewWidget(ref, item);
  }

  /** An empty field covers the page once it has an appearance. */
  private noteOldWidget(page: PdfRef, item: PdfObject): void {
    const widget = item instanceof PdfRef ? this.fields.painted.get(writeObject(item)) : undefined;
    if (!widget) return;
    const part = coveredPart(this.walk.after, widget, readPage(this.walk.after, page).box);
    this.covered.push({
      page: writeObject(page),
      widget: writeObject(item),
      part: Number.isFinite(part) ? part : 1,
      isNew: false,
    });
  }

  private checkNewWidget(page: PdfRef, item: PdfObject): void {
    const { walk } = this;
    const { added } = this.fields;
    const name = writeObject(item);
    const widget = added.get(name);
    added.delete(name);
    if (!(item instanceof PdfRef) || !widget) return walk.require(false);
    const { box, rotation } = readPage(walk.after, page);
    const part = coveredPart(walk.after, widget, box);
    walk.require(Number.isFinite(part) && staysInPlace(walk.after, widget, rotation));
    this.covered.push({ page: writeObject(page), widget: name, part, isNew: true });
  }
}
