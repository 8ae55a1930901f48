import {
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
  PdfString,
} from "@libpdf/core";
import { equalBytes } from "../asn1/der-reader.ts";
import { heldReferences, itemKey } from "../pdf/free-numbers.ts";
import { follow, type OpenPdf } from "../pdf/open-pdf.ts";
import { spend, type WorkBudget } from "../pdf/work-budget.ts";
import { writeObject } from "../pdf/write-object.ts";
import { areSpelledAlike, isBeyondReaders } from "../strict/same-value.ts";
import { areStrictObjects } from "../strict/strict-objects.ts";

/** How a difference under a key is judged: never allowed; noted, for who asks to judge; judged elsewhere. */
export type Rule = (key: string) => "same" | "note" | "skip";
/** Two values that stand in the same place of two revisions, and the key that led there. */
type Pair = {
  readonly before: PdfObject | undefined;
  readonly after: PdfObject | undefined;
  readonly key: string;
};

/**
 * Where a field is met as a field: in lists of fields and annotations, in the structure tree, from an action. Anywhere else (a page's
 * colour spaces, a group) it is what it is taken for there. Source: ISO 32000-2 §12.5.2, §12.6.4, §12.7.3, §12.7.4, §14.7.5.3.
 */
const FIELD_PLACES = new Set(["Fields", "Kids", "Annots", "Parent", "Obj", "CO", "T", "AN"]);
/**
 * Where a page is met as a page: in the page tree, from what stands on it, from structure, templates and sets of captured pages, in a
 * destination. As a resource dictionary, a field's looks by state or a font's glyphs it is what it is taken for there, `/Annots` with it.
 * Source: ISO 32000-2 §7.7.3, §12.3.2.2, §12.5.2 (P), §12.7.7 (Names), §14.7.2 (Pg), §14.10.4 (O), §14.11.4 (Pages).
 */
const PAGE_PLACES = new Set(["Kids", "Parent", "P", "Pg", "Dest", "Names", "Pages", "O"]);
/** Values of one step of the budget: each met costs one, and its bytes beyond that. */
const BYTES_A_STEP = 64;

/**
 * Walks two revisions of a file together, references followed in each.
 * Shape: values wait in a list of their own, so that neither the length of a chain (bookmarks, beads, actions) nor the depth of a tree
 * matters; a pair is walked once.
 */
export class PairedWalk {
  /** Something differs that no rule allows. */
  isForbidden = false;
  /** Objects compared by rules of their own: where they are met as what they are, the same reference is enough. */
  readonly ruledPages = new Set<string>();
  readonly ruledFields = new Set<string>();
  readonly before: OpenPdf;
  readonly after: OpenPdf;
  private readonly budget: WorkBudget;
  /** Pairs met where any difference is forbidden: once one differs the whole verdict is known, so a pair need not be walked twice. */
  private readonly strict = new Set<string>();
  /** Containers that stand in their holder itself, numbered as they are met. */
  private readonly numbers = new Map<PdfObject, number>();
  /** Whether both revisions were read by the letter; null until it is asked. */
  private isRead: boolean | null = null;

  /** `budget`: values that may be met, shared by all the comparisons of a file. */
  constructor(before: OpenPdf, after: OpenPdf, budget: WorkBudget) {
    this.before = before;
    this.after = after;
    this.budget = budget;
  }

  require(isAllowed: boolean): void {
    if (!isAllowed) this.isForbidden = true;
  }

  /** Requires that two values show the same. Errors: PadesError `pdf_too_complex` once the budget is spent. */
  requireSame(before: PdfObject | undefined, after: PdfObject | undefined, key: string): void {
    this.require(this.same({ before, after, key }, this.strict));
  }

  /**
   * Compares two dictionaries key by key; gives the keys that differ and that the rule notes. A difference under any other is forbidden.
   * Errors: PadesError `pdf_too_complex` once the budget is spent.
   */
  compareDicts(before: PdfDict, after: PdfDict, rule: Rule): readonly string[] {
    this.require(sameStream(before, after));
    const keys = new Set([...before.keys(), ...after.keys()].map((key) => key.value));
    return [...keys].filter((key) => {
      const verdict = rule(key);
      if (verdict === "skip") return false;
      // A pair excused under one key is not excused elsewhere: what a lenient walk met is remembered only when nothing differed.
      const seen = verdict === "same" ? this.strict : new Set<string>();
      const isSame = this.same({ before: before.get(key), after: after.get(key), key }, seen);
      if (isSame && seen !== this.strict) for (const pair of seen) this.strict.add(pair);
      this.require(isSame || verdict === "note");
      return !isSame;
    });
  }

  /** Says whether two values show the same in both revisions. */
  private same(first: Pair, seen: Set<string>): boolean {
    const waiting = [first];
    for (let pair = waiting.pop(); pair; pair = waiting.pop())
      if (!this.sameHere(pair, seen, waiting)) return false;
    return true;
  }

  /** Compares two values but for what they hold, which is put to what waits. */
  private sameHere({ before, after, key }: Pair, seen: Set<string>, waiting: Pair[]): boolean {
    spend(this.budget, 1);
    if (before instanceof PdfRef || after instanceof PdfRef) {
      if (!this.isKnown({ before, after, key }, seen))
        waiting.push({
          before: follow(this.before, before),
          after: follow(this.after, after),
          key,
        });
      return true;
    }
    if (before === undefined || after === undefined) return before === after;
    if (before === after) {
      // The very object, which both revisions share: what it leads to may still differ.
      for (const { key: held, ref } of heldReferences(before))
        waiting.push({ before: ref, after: ref, key: held ?? key });
      return true;
    }
    if (before instanceof PdfArray && after instanceof PdfArray) {
      for (let index = 0; index < before.length; index += 1)
        waiting.push({
          before: before.at(index),
          after: after.at(index),
          key: itemKey(before, index) ?? key,
        });
      return before.length === after.length;
    }
    if (before instanceof PdfDict && after instanceof PdfDict) {
      for (const [name, value] of before)
        waiting.push({ before: value, after: after.get(name), key: name.value });
      if (before instanceof PdfStream) spend(this.budget, before.data.length / BYTES_A_STEP);
      return sameStream(before, after) && before.size === after.size;
    }
    if (before instanceof PdfString && after instanceof PdfString) {
      spend(this.budget, before.bytes.length / BYTES_A_STEP);
      return equalBytes(before.bytes, after.bytes);
    }
    if (before instanceof PdfNumber && after instanceof PdfNumber)
      return this.isSameNumber(before, after);
    if (before instanceof PdfName && after instanceof PdfName) return before.value === after.value;
    return before.type === after.type && writeObject(before) === writeObject(after);
  }

  /** Says whether a pair, one of them a reference at least, is judged elsewhere or has been met; from now on it has. */
  private isKnown({ before, after, key }: Pair, seen: Set<string>): boolean {
    const [left, right] = [this.nameOf(before), this.nameOf(after)];
    if (left === null || right === null) return false;
    const pair = `${left} ${right}`;
    if ((left === right && this.isRuled(left, key)) || seen.has(pair) || this.strict.has(pair))
      return true;
    seen.add(pair);
    return false;
  }

  /** A name for a reference or a container; null for what holds nothing, which no chain goes through. */
  private nameOf(value: PdfObject | undefined): string | null {
    if (value instanceof PdfRef) return writeObject(value);
    if (!(value instanceof PdfArray || value instanceof PdfDict)) return null;
    const number = this.numbers.get(value) ?? this.numbers.size;
    this.numbers.set(value, number);
    return `#${number}`;
  }

  /** Two numbers are the same if no digit makes a difference; those that readers take differently, where they are written alike. */
  private isSameNumber(before: PdfNumber, after: PdfNumber): boolean {
    if (before.value !== after.value || !isBeyondReaders(before))
      return before.value === after.value;
    this.isRead ??= areStrictObjects(this.before) && areStrictObjects(this.after);
    return this.isRead && areSpelledAlike(before, after);
  }

  private isRuled(reference: string, key: string): boolean {
    // What a signature's reference is about. Source: ISO 32000-2 §12.8.1, table 256.
    if (key === "Data" && reference === writeObject(this.before.catalogRef)) return true;
    return (
      (this.ruledPages.has(reference) && PAGE_PLACES.has(key)) ||
      (this.ruledFields.has(reference) && FIELD_PLACES.has(key))
    );
  }
}

/** Two dictionaries are of the same make: neither a stream, or both with the same data. */
function sameStream(before: PdfDict, after: PdfDict): boolean {
  if (!(before instanceof PdfStream) || !(after instanceof PdfStream))
    return !(before instanceof PdfStream) && !(after instanceof PdfStream);
  // Both revisions are views of one buffer: an untouched stream is the same place.
  const [left, right] = [before.data, after.data];
  const samePlace =
    left.buffer === right.buffer &&
    left.byteOffset === right.byteOffset &&
    left.length === right.length;
  return samePlace || equalBytes(left, right);
}
