import { PdfDict, type PdfObject, PdfRef, PdfStream } from "@libpdf/core";
import { type FormField, formFields } from "../pdf/form-fields.ts";
import { arrayAt, dictAt, follow } from "../pdf/open-pdf.ts";
import { writeObject } from "../pdf/write-object.ts";
import {
  FILLING,
  getsEmptyCharacteristics,
  isFilling,
  isTimestamp,
  type Widget,
  widgetsOf,
} from "./form-defaults.ts";
import type { PairedWalk, Rule } from "./paired-walk.ts";
import {
  hasPlainLook,
  isPlainParent,
  isPlainSignatureWidget,
  isSigningEntry,
  isVisible,
  paints,
  SIGNING_ENTRIES,
} from "./signature-looks.ts";

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
export class FieldComparison {
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

  /** Fields may only be appended. */
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
