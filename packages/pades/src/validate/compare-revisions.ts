import { PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream, PdfString } from "@libpdf/core";
import { equalBytes } from "../asn1/der-reader.ts";
import { type FormField, formFields } from "../pdf/form-fields.ts";
import { arrayAt, dictAt, follow, nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { readPage } from "../pdf/page-geometry.ts";
import { writeObject } from "../pdf/write-object.ts";
import { DESCRIPTIVE_ENTRIES, informationStays } from "./descriptive-changes.ts";
import { coveredPart, hasPlainLook, isPlainSignatureWidget, isVisible, paints, staysInPlace } from "./signature-looks.ts";

/**
 * What one update changed.
 * Shape: `filled`, `repainted`: names of fields that have another value (or a first look), or only another look; `shown`: new signature
 * fields that take room on a page; `covered`: by page, the sum of the parts of it that they stand on; `isForbidden`: something that no
 * rule allows.
 */
export type Changes = {
  readonly isForbidden: boolean;
  readonly isSigning: boolean;
  readonly filled: readonly string[];
  readonly repainted: readonly string[];
  readonly shown: readonly string[];
  readonly covered: ReadonlyMap<string, number>;
};

/** Pairs met on the way, how deep it is, and the key that led here. */
type Walk = { readonly seen: Set<string>; readonly depth: number; readonly key: string };
/** How a difference under a key is judged: never; it is what this field's filling is; it was judged elsewhere. */
type Rule = (key: string) => "same" | "note" | "skip";

/** Entries of a text, button or choice field that filling changes. Source: ISO 32000-2 §12.7.4. */
const FILLING = new Set(["V", "AP", "AS", "I"]);
/**
 * Where a field is met as a field: in lists of fields and annotations, in the structure tree, from an action. Anywhere else (a page's
 * colour spaces, a group) it is what it is taken for there. Source: ISO 32000-2 §12.5.2, §12.6.4, §12.7.3, §12.7.4, §14.7.5.3.
 */
const FIELD_PLACES = new Set(["Fields", "Kids", "Annots", "Parent", "Obj", "CO", "T", "AN"]);
const MAX_DEPTH = 200;

/**
 * Compares what a file shows in one revision and in the next.
 * Shape: both trees are walked together from the catalog, references followed in each, so that an object defined later behind a
 * reference that dangled (shadow attacks) is a difference like any other. Whatever no rule allows is forbidden.
 * Source: ISO 32000-2 §12.8.2.2, §12.8.2.4; Mainka et al., "Shadow Attacks"; Rohlmann et al., "Breaking the Specification".
 */
export function compareRevisions(before: OpenPdf, after: OpenPdf): Changes {
  return new Comparison(before, after).classify();
}

/** One comparison of two revisions: it owns the set of pairs already seen. */
class Comparison {
  private isForbidden = false;
  private isSigning = false;
  private readonly filled: string[] = [];
  private readonly repainted: string[] = [];
  private readonly shown: string[] = [];
  private readonly covered = new Map<string, number>();
  /** Pairs met where any difference is forbidden: once one differs the whole verdict is known, so a pair need not be walked twice. */
  private readonly strict = new Set<string>();
  /** Objects compared by rules of their own: where they are met as what they are, the same reference is enough. */
  private readonly ruledPages = new Set<string>();
  private readonly ruledFields = new Set<string>();
  private readonly before: OpenPdf;
  private readonly after: OpenPdf;
  private readonly fieldsBefore: readonly FormField[];
  private readonly newWidgets = new Map<string, PdfDict>();

  constructor(before: OpenPdf, after: OpenPdf) {
    this.before = before;
    this.after = after;
    this.fieldsBefore = formFields(before);
  }

  classify(): Changes {
    const { before, after } = this;
    const [pages = [], now = []] = [before, after].map((open) => open.pdf.context.pages.getPages().map(writeObject));
    for (const page of pages) this.ruledPages.add(page);
    for (const field of this.fieldsBefore) if (field.ref) this.ruledFields.add(writeObject(field.ref));
    this.require(pages.join() === now.join() && informationStays(before, after));
    this.compareFields();
    this.compareForm();
    this.compareCatalog();
    for (const ref of before.pdf.context.pages.getPages()) if (!this.isForbidden) this.comparePage(ref);
    const { isForbidden, isSigning, filled, repainted, shown, covered } = this;
    return { isForbidden, isSigning, filled, repainted, shown, covered };
  }

  private require(isAllowed: boolean): void {
    if (!isAllowed) this.isForbidden = true;
  }

  private compareCatalog(): void {
    const { before, after } = this;
    const changed = this.compareDicts(before.catalog, after.catalog, (key) => {
      // The form and the security store have rules of their own. Source: EN 319 142-1 §5.4.2.
      if (key === "AcroForm" || key === "DSS") return "skip";
      return key in DESCRIPTIVE_ENTRIES ? "note" : "same";
    });
    this.require(changed.every((key) => DESCRIPTIVE_ENTRIES[key]?.(before, after)));
  }

  private compareForm(): void {
    const [before, after] = [dictAt(this.before, this.before.catalog, "AcroForm"), dictAt(this.after, this.after.catalog, "AcroForm")];
    if (!before || !after) return this.require(false);
    const changed = this.compareDicts(before, after, (key) => (key === "Fields" ? "skip" : key === "SigFlags" ? "note" : "same"));
    this.require(changed.length === 0 || follow(this.after, after.get("SigFlags"))?.type === "number");
  }

  private compareFields(): void {
    const listed = formFields(this.after);
    const after = new Map(listed.map((field) => [field.name, field]));
    this.require(after.size === listed.length);
    for (const field of this.fieldsBefore) {
      const now = after.get(field.name);
      after.delete(field.name);
      if (!now || now.type !== field.type || !sameRef(field.ref, now.ref)) return this.require(false);
      this.compareField(field, now);
    }
    for (const field of after.values()) this.judgeNewField(field);
    this.compareFieldTree();
  }

  /** Fields may be added at the end of the list, never taken out or moved under others. */
  private compareFieldTree(): void {
    const [before = [], after = []] = [this.before, this.after].map((open) => {
      const form = dictAt(open, open.catalog, "AcroForm");
      return (form ? arrayAt(open, form, "Fields")?.toArray() : undefined) ?? [];
    });
    const known = new Set(this.fieldsBefore.map(({ dict }) => dict));
    this.compareParents(before, after.slice(0, before.length), known);
  }

  /** What stands above fields gives them type, value and actions: it stays, whether or not they name it. Source: ISO 32000-2 §12.7.4.1. */
  private compareParents(before: readonly PdfObject[], after: readonly PdfObject[], known: Set<PdfDict>): void {
    this.require(before.length === after.length);
    for (const [index, item] of before.entries()) {
      const [held, now] = [follow(this.before, item), follow(this.after, after[index])];
      if (item instanceof PdfRef) this.require(after[index] instanceof PdfRef && writeObject(item) === writeObject(after[index]));
      if (!(held instanceof PdfDict) || known.has(held)) continue;
      known.add(held);
      if (!(now instanceof PdfDict)) return this.require(false);
      this.compareDicts(held, now, (key) => (key === "Kids" || key === "Parent" ? "skip" : "same"));
      const [kids, kidsNow] = [arrayAt(this.before, held, "Kids")?.toArray() ?? [], arrayAt(this.after, now, "Kids")?.toArray() ?? []];
      this.compareParents(kids, kidsNow, known);
    }
  }

  private compareField(before: FormField, after: FormField): void {
    const [signedBefore, signedAfter] = [dictAt(this.before, before.dict, "V"), dictAt(this.after, after.dict, "V")];
    if (before.type !== "Sig") return this.compareFilled(before, after);
    // Only a signature gives an empty field its look: a look without one would pass for a signature.
    if (signedBefore || !signedAfter) return void this.compareDicts(before.dict, after.dict, () => "same");
    this.compareDicts(before.dict, after.dict, (key) => (key === "V" || key === "AP" ? "note" : "same"));
    this.judgeSigned(after.dict, signedAfter);
  }

  private compareFilled(before: FormField, after: FormField): void {
    const changed = this.compareDicts(before.dict, after.dict, (key) => (FILLING.has(key) ? "note" : "same"));
    if (changed.length === 0) return;
    this.require(isFilling(this.after, after));
    // A field that shows something else while its value stays is not filled, it is repainted (shadow attack, replace by overlay).
    const isFilled = changed.some((key) => key === "V" || key === "AS") || !paints(this.before, before.dict);
    (isFilled ? this.filled : this.repainted).push(before.name);
  }

  /** A document time-stamp proves a time and shows nothing; a signature may be seen. Source: EN 319 142-1 §5.4.3. */
  private judgeSigned(widget: PdfDict, value: PdfDict): void {
    this.require(hasPlainLook(this.after, widget) && !(value instanceof PdfStream));
    if (isTimestamp(this.after, value)) this.require(!paints(this.after, widget));
    else this.isSigning = true;
  }

  /** After a signature only signature fields may come; one that nobody signed shows nothing (attacks EAA, SSA). */
  private judgeNewField(field: FormField): void {
    const { dict, ref, name } = field;
    if (!isPlainSignatureWidget(this.after, field)) return this.require(false);
    const value = dictAt(this.after, dict, "V");
    const visible = isVisible(this.after, dict);
    if (ref) this.newWidgets.set(writeObject(ref), dict);
    if (visible) this.shown.push(name);
    if (!value) {
      this.isSigning = true;
      return this.require(!dict.has("V") && !paints(this.after, dict));
    }
    this.judgeSigned(dict, value);
    this.require(!visible || !isTimestamp(this.after, value));
  }

  private comparePage(ref: PdfRef): void {
    const [before, after] = [follow(this.before, ref), follow(this.after, ref)];
    if (!(before instanceof PdfDict) || !(after instanceof PdfDict)) return this.require(false);
    this.compareDicts(before, after, (key) => (key === "Annots" ? "skip" : "same"));
    const [listed, now] = [arrayAt(this.before, before, "Annots")?.toArray() ?? [], arrayAt(this.after, after, "Annots")?.toArray() ?? []];
    for (const [index, item] of listed.entries()) this.require(this.same(item, now[index], { seen: this.strict, depth: 0, key: "Annots" }));
    for (const item of now.slice(listed.length)) this.judgeNewWidget(ref, item);
  }

  /** Each new widget stands on one page, once. */
  private judgeNewWidget(page: PdfRef, item: PdfObject): void {
    const [name, pageName] = [writeObject(item), writeObject(page)];
    const widget = this.newWidgets.get(name);
    this.newWidgets.delete(name);
    if (!(item instanceof PdfRef) || !widget) return this.require(false);
    const { box, rotation } = readPage(this.after, page);
    const part = coveredPart(this.after, widget, box);
    this.require(Number.isFinite(part) && staysInPlace(this.after, widget, rotation));
    this.covered.set(pageName, (this.covered.get(pageName) ?? 0) + part);
  }

  /** Compares two dictionaries key by key; gives the keys that differ and that the rule notes. A difference under any other is forbidden. */
  private compareDicts(before: PdfDict, after: PdfDict, rule: Rule): readonly string[] {
    this.require(sameStream(before, after));
    const keys = new Set([...before.keys(), ...after.keys()].map((key) => key.value));
    return [...keys].filter((key) => {
      const verdict = rule(key);
      if (verdict === "skip") return false;
      // A pair excused under one key is not excused elsewhere: what a lenient walk met is remembered only when nothing differed.
      const seen = verdict === "same" ? this.strict : new Set<string>();
      const isSame = this.same(before.get(key), after.get(key), { seen, depth: 0, key });
      if (isSame && seen !== this.strict) for (const pair of seen) this.strict.add(pair);
      this.require(isSame || verdict === "note");
      return !isSame;
    });
  }

  /** Says whether two values show the same in both revisions, references followed. */
  private same(before: PdfObject | undefined, after: PdfObject | undefined, walk: Walk): boolean {
    const { seen, depth, key } = walk;
    if (depth > MAX_DEPTH) return false;
    if (before instanceof PdfRef && after instanceof PdfRef) {
      const [left, right] = [writeObject(before), writeObject(after)];
      const pair = `${left} ${right}`;
      if ((left === right && this.isRuled(left, key)) || seen.has(pair) || this.strict.has(pair)) return true;
      seen.add(pair);
      return this.same(follow(this.before, before), follow(this.after, after), { seen, depth: depth + 1, key });
    }
    if (before instanceof PdfRef || after instanceof PdfRef) {
      return this.same(follow(this.before, before), follow(this.after, after), { seen, depth: depth + 1, key });
    }
    if (before === undefined || after === undefined) return before === after;
    if (before instanceof PdfArray && after instanceof PdfArray) {
      return (
        before.length === after.length &&
        before.toArray().every((item, index) => this.same(item, after.at(index), { seen, depth: depth + 1, key }))
      );
    }
    if (before instanceof PdfDict && after instanceof PdfDict) return this.sameDict(before, after, walk);
    if (before instanceof PdfString && after instanceof PdfString) return equalBytes(before.bytes, after.bytes);
    return before.type === after.type && writeObject(before) === writeObject(after);
  }

  private sameDict(before: PdfDict, after: PdfDict, { seen, depth }: Walk): boolean {
    if (!sameStream(before, after) || before.size !== after.size) return false;
    for (const [key, value] of before) if (!this.same(value, after.get(key), { seen, depth: depth + 1, key: key.value })) return false;
    return true;
  }

  private isRuled(reference: string, key: string): boolean {
    // What a signature's reference is about. Source: ISO 32000-2 §12.8.1, table 256.
    if (key === "Data" && reference === writeObject(this.before.catalogRef)) return true;
    return this.ruledPages.has(reference) || (this.ruledFields.has(reference) && FIELD_PLACES.has(key));
  }
}

/** Two dictionaries are of the same make: neither a stream, or both with the same data. */
function sameStream(before: PdfDict, after: PdfDict): boolean {
  if (!(before instanceof PdfStream) || !(after instanceof PdfStream))
    return !(before instanceof PdfStream) && !(after instanceof PdfStream);
  // Both revisions are views of one buffer: an untouched stream is the same place.
  const [left, right] = [before.data, after.data];
  const samePlace = left.buffer === right.buffer && left.byteOffset === right.byteOffset && left.length === right.length;
  return samePlace || equalBytes(left, right);
}

function sameRef(left: PdfRef | null, right: PdfRef | null): boolean {
  return left === right || (left !== null && right !== null && writeObject(left) === writeObject(right));
}

/**
 * Says whether what filling writes is a value of its field's type and a look, and nothing that could be painted under another name: no
 * stream as a value (resources may name a field as their dictionary), no look that is anything but a dictionary of streams.
 * Source: ISO 32000-2 §12.7.5.2 to §12.7.5.4.
 */
function isFilling(open: OpenPdf, { type, dict }: FormField): boolean {
  const listed = (value: PdfObject | undefined, kind: PdfObject["type"]): boolean =>
    value?.type === kind || (value instanceof PdfArray && value.toArray().every((item) => follow(open, item)?.type === kind));
  const [value, state, chosen] = ["V", "AS", "I"].map((key) => follow(open, dict.get(key)));
  const isValue =
    type === "Btn" ? value?.type === "name" : type === "Ch" ? listed(value, "string") : type === "Tx" && value?.type === "string";
  const isState = state === undefined || (state.type === "name" && type === "Btn");
  const isChoice = chosen === undefined || (listed(chosen, "number") && type === "Ch");
  return (value === undefined || isValue) && isState && isChoice && hasPlainLook(open, dict);
}

/** Says whether a signature's value is a document time-stamp, by what its bytes are judged by, whatever it calls itself. Source: EN 319 142-1 §5.4.3. */
export function isTimestamp(open: OpenPdf, value: PdfDict): boolean {
  return nameAt(open, value, "SubFilter") === "ETSI.RFC3161";
}
