import { PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream, PdfString } from "@libpdf/core";
import type { WorkBudget } from "../pdf/byte-reader.ts";
import { type FormField, formFields } from "../pdf/form-fields.ts";
import { type OpenPdf, arrayAt, dictAt, follow } from "../pdf/open-pdf.ts";
import { readPage } from "../pdf/page-geometry.ts";
import { writeObject } from "../pdf/write-object.ts";
import { DESCRIPTIVE_ENTRIES, informationStays } from "./descriptive-changes.ts";
import {
  FILLING,
  type Widget,
  defaultsStay,
  getsEmptyCharacteristics,
  isFilling,
  isTimestamp,
  widgetsOf,
} from "./form-defaults.ts";
import { PairedWalk, type Rule } from "./paired-walk.ts";
import {
  SIGNING_ENTRIES,
  coveredPart,
  hasPlainLook,
  isPlainParent,
  isPlainSignatureWidget,
  isSigningEntry,
  isVisible,
  paints,
  staysInPlace,
} from "./signature-looks.ts";

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
 * Errors: `pdf_too_complex` once the budget of values is spent.
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
/** Each of these has its own rule. */
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

type Pair = {
  readonly before: FormField;
  readonly after: FormField;
  readonly widgets: readonly { before: Widget; after: Widget }[];
};
type Paint = {
  readonly old: PdfDict;
  readonly dict: PdfDict;
  readonly changed: readonly string[];
  readonly reference: string | null;
};

/**
 * Compares the fields of two revisions by object, as names may repeat or be missing.
 * Shape: `filled` and `repainted`: names; `shown`: new visible signature fields; `added` and
 * `painted`: widgets by reference. The walk learns of forbidden changes.
 * Source: ISO 32000-2 §12.7.4, §12.8.2.
 */
class FieldComparison {
  isSigning = false;
  readonly filled: string[] = [];
  readonly repainted: string[] = [];
  readonly shown: string[] = [];
  readonly added = new Map<string, PdfDict>();
  readonly painted = new Map<string, PdfDict>();
  private readonly walk: PairedWalk;
  private readonly old: readonly FormField[];
  /** Readers find fields by name: earlier ones with their ancestors, then new ones. */
  private readonly names: Set<string>;
  private readonly parents: Set<string>;

  constructor(walk: PairedWalk) {
    this.walk = walk;
    this.old = formFields(walk.before);
    const above = this.old.flatMap(({ parents }) => parents);
    this.names = new Set([...this.old, ...above].map(({ name }) => name));
    this.parents = new Set(above.map(({ ref }) => textOf(ref)));
    const widgets = this.old.flatMap((field) => widgetsOf(walk.before, field));
    for (const { ref } of [...this.old, ...above, ...widgets])
      if (ref) walk.ruledFields.add(writeObject(ref));
  }

  compare(): void {
    const { walk } = this;
    const now = byObject(formFields(walk.after));
    for (const [key, before] of byObject(this.old)) {
      const after = now.get(key);
      now.delete(key);
      if (!after || after.type !== before.type || after.name !== before.name)
        return walk.require(false);
      this.compareField({ before, after, widgets: this.pairedWidgets(before, after) });
    }
    for (const field of now.values()) this.checkNewField(field);
    this.compareTree();
  }

  /** The walk over their list compares the references. */
  private pairedWidgets(before: FormField, after: FormField): Pair["widgets"] {
    const now = new Map(
      widgetsOf(this.walk.after, after).map((widget) => [textOf(widget.ref), widget]),
    );
    return widgetsOf(this.walk.before, before).flatMap((widget) => {
      const found = now.get(textOf(widget.ref));
      this.walk.require(found !== undefined);
      return found ? [{ before: widget, after: found }] : [];
    });
  }

  private compareTree(): void {
    const [before, after] = [this.walk.before, this.walk.after].map((open) => {
      const form = dictAt(open, open.catalog, "AcroForm");
      return (form ? arrayAt(open, form, "Fields")?.toArray() : undefined) ?? [];
    });
    this.compareParents(before ?? [], after ?? [], new Set(this.old.map(({ dict }) => dict)));
  }

  /** Fields inherit type, value and actions. Source: ISO 32000-2 §12.7.4.1. */
  private compareParents(
    before: readonly PdfObject[],
    after: readonly PdfObject[],
    known: Set<PdfDict>,
  ): void {
    const { walk } = this;
    walk.require(before.length <= after.length);
    for (const [index, item] of before.entries()) {
      const [held, now] = [follow(walk.before, item), follow(walk.after, after[index])];
      if (item instanceof PdfRef)
        walk.require(
          after[index] instanceof PdfRef && writeObject(item) === writeObject(after[index]),
        );
      if (!(held instanceof PdfDict) || known.has(held)) continue;
      known.add(held);
      if (!(now instanceof PdfDict)) return walk.require(false);
      walk.compareDicts(held, now, (key) => (key === "Kids" ? "skip" : "same"));
      const [kids, kidsNow] = [
        arrayAt(walk.before, held, "Kids")?.toArray() ?? [],
        arrayAt(walk.after, now, "Kids")?.toArray() ?? [],
      ];
      this.compareParents(kids, kidsNow, known);
    }
  }

  private compareField(pair: Pair): void {
    const { walk } = this;
    const { before, after } = pair;
    const [signedBefore, signedAfter] = [
      dictAt(walk.before, before.dict, "V"),
      dictAt(walk.after, after.dict, "V"),
    ];
    if (before.type !== "Sig") return this.compareFilled(pair);
    // Otherwise an empty field could look like a signature.
    if (signedBefore || !signedAfter)
      return void this.paintsOf(pair, { own: () => "same", apart: () => "same" });
    const apart: Rule = (key) => (key === "AP" || SIGNING_ENTRIES.has(key) ? "note" : "same");
    const found = this.paintsOf(pair, { own: (key) => (key === "V" ? "note" : apart(key)), apart });
    for (const { old, dict, changed, reference } of found) {
      const entries = changed.filter((key) => SIGNING_ENTRIES.has(key));
      walk.require(
        entries.every((key) => isSigningEntry(walk, { before: old, after: dict, reference }, key)),
      );
      walk.require(hasPlainLook(walk.after, dict));
      this.validateSigned(dict, signedAfter);
    }
    this.notePainted(found);
  }

  private compareFilled(pair: Pair): void {
    const { walk } = this;
    const { before, after, widgets } = pair;
    const found = this.paintsOf(pair, {
      own: (key) => (FILLING.has(key) ? "note" : "same"),
      apart: (key) => (key === "AP" || key === "AS" ? "note" : "same"),
    });
    const changed = found.flatMap((paint) => paint.changed);
    if (changed.length === 0) return;
    walk.require(isFilling(walk.after, after));
    // A new appearance for the same value is no filling (shadow attack, replace by overlay).
    const painted = [before, ...widgets.map((widget) => widget.before)].some(({ dict }) =>
      paints(walk.before, dict),
    );
    const isFilled = changed.some((key) => key === "V" || key === "AS") || !painted;
    (isFilled ? this.filled : this.repainted).push(before.name);
    this.notePainted(found);
  }

  /** A new empty `/MK` is harmless. */
  private paintsOf(
    { before, after, widgets }: Pair,
    { own, apart }: { own: Rule; apart: Rule },
  ): readonly Paint[] {
    const { walk } = this;
    return [{ before, after }, ...widgets].map((pair, index) => {
      const rule = index === 0 ? own : apart;
      const isBare =
        getsEmptyCharacteristics(walk, pair.before.dict, pair.after.dict) && rule("AP") === "note";
      const changed = walk.compareDicts(pair.before.dict, pair.after.dict, (key) =>
        key === "MK" && isBare ? "skip" : rule(key),
      );
      return {
        old: pair.before.dict,
        dict: pair.after.dict,
        changed,
        reference: pair.after.ref && writeObject(pair.after.ref),
      };
    });
  }

  private notePainted(found: readonly Paint[]): void {
    for (const { dict, changed, reference } of found) {
      const isPainted =
        changed.some((key) => key === "AP" || key === "AS") && paints(this.walk.after, dict);
      if (isPainted && reference !== null) this.painted.set(reference, dict);
    }
  }

  /** A document time-stamp shows nothing; a signature may. Source: EN 319 142-1 §5.4.3. */
  private validateSigned(widget: PdfDict, value: PdfDict): void {
    const { after } = this.walk;
    this.walk.require(!(value instanceof PdfStream));
    if (isTimestamp(after, value)) this.walk.require(!paints(after, widget));
    else this.isSigning = true;
  }

  /** After a signature come signature fields only; an unsigned one shows nothing (EAA, SSA). */
  private checkNewField(field: FormField): void {
    const { walk } = this;
    const { dict, ref, name } = field;
    if (!isPlainSignatureWidget(walk.after, field) || this.names.has(name))
      return walk.require(false);
    this.names.add(name);
    this.checkNewParents(field);
    const value = dictAt(walk.after, dict, "V");
    const visible = isVisible(walk.after, dict);
    if (ref) this.added.set(writeObject(ref), dict);
    if (visible) this.shown.push(name);
    if (!value) {
      this.isSigning = true;
      return walk.require(!dict.has("V") && !paints(walk.after, dict));
    }
    this.validateSigned(dict, value);
    walk.require(!visible || !isTimestamp(walk.after, value));
  }

  /** New ancestors may only name a new field. */
  private checkNewParents({ parents }: FormField): void {
    for (const [index, parent] of parents.entries()) {
      const key = textOf(parent.ref);
      if (this.parents.has(key)) continue;
      this.walk.require(
        isPlainParent(this.walk.after, parent, parents[index - 1]) && !this.names.has(parent.name),
      );
      this.names.add(parent.name);
      this.parents.add(key);
    }
  }
}

function byObject(fields: readonly FormField[]): Map<string, FormField> {
  let direct = 0;
  return new Map(
    fields.map((field) => [field.ref ? writeObject(field.ref) : `#${direct++}`, field]),
  );
}

const textOf = (ref: PdfRef | null): string => (ref ? writeObject(ref) : "");
