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
import { innerReferences, itemKey } from "../pdf/walk-objects.ts";
import { follow, type OpenPdf } from "../pdf/open-pdf.ts";
import { spend, type WorkBudget } from "../pdf/byte-reader.ts";
import { writeObject } from "../pdf/write-object.ts";
import { areSpelledAlike, isBeyondReaders } from "../strict/same-value.ts";
import { areStrictObjects } from "../strict/strict-revision.ts";

/** No difference is allowed, or it is noted for the caller, or checked elsewhere. */
export type Rule = (key: string) => "same" | "note" | "skip";
type Pair = {
  readonly before: PdfObject | undefined;
  readonly after: PdfObject | undefined;
  readonly key: string;
};

/**
 * Keys that lead to a field as a field; elsewhere it plays another role.
 * Source: ISO 32000-2 §12.5.2, §12.6.4, §12.7.3, §12.7.4, §14.7.5.3.
 */
const FIELD_PLACES = new Set(["Fields", "Kids", "Annots", "Parent", "Obj", "CO", "T", "AN"]);
/**
 * Keys that lead to a page as a page; elsewhere it plays another role, `/Annots` included.
 * Source: ISO 32000-2 §7.7.3, §12.3.2.2, §12.5.2 (P), §12.7.7 (Names), §14.7.2 (Pg), §14.10.4 (O),
 * §14.11.4 (Pages).
 */
const PAGE_PLACES = new Set(["Kids", "Parent", "P", "Pg", "Dest", "Names", "Pages", "O"]);
/** A value costs one step, and its bytes more. */
const BYTES_A_STEP = 64;

/** Walks two revisions together, each pair once; an explicit stack bears deep trees. */
export class PairedWalk {
  isForbidden = false;
  /** Pages and fields have rules of their own: the same reference suffices in their own role. */
  readonly ruledPages = new Set<string>();
  readonly ruledFields = new Set<string>();
  readonly before: OpenPdf;
  readonly after: OpenPdf;
  private readonly budget: WorkBudget;
  /** One difference settles the verdict, so no pair is walked twice. */
  private readonly strict = new Set<string>();
  private readonly numbers = new Map<PdfObject, number>();
  private isRead: boolean | null = null;

  constructor(before: OpenPdf, after: OpenPdf, budget: WorkBudget) {
    this.before = before;
    this.after = after;
    this.budget = budget;
  }

  require(isAllowed: boolean): void {
    if (!isAllowed) this.isForbidden = true;
  }

  /** Errors: `pdf_too_complex` once the budget is spent. */
  requireSame(before: PdfObject | undefined, after: PdfObject | undefined, key: string): void {
    this.require(this.same({ before, after, key }, this.strict));
  }

  /**
   * The differing keys that the rule notes; any other difference is forbidden.
   * Errors: `pdf_too_complex` once the budget is spent.
   */
  compareDicts(before: PdfDict, after: PdfDict, rule: Rule): readonly string[] {
    this.require(sameStream(before, after));
    const keys = new Set([...before.keys(), ...after.keys()].map((key) => key.value));
    return [...keys].filter((key) => {
      const verdict = rule(key);
      if (verdict === "skip") return false;
      // A pair excused under one key is not excused elsewhere: only a strict walk is remembered.
      const seen = verdict === "same" ? this.strict : new Set<string>();
      const isSame = this.same({ before: before.get(key), after: after.get(key), key }, seen);
      if (isSame && seen !== this.strict) for (const pair of seen) this.strict.add(pair);
      this.require(isSame || verdict === "note");
      return !isSame;
    });
  }

  private same(first: Pair, seen: Set<string>): boolean {
    const waiting = [first];
    for (let pair = waiting.pop(); pair; pair = waiting.pop())
      if (!this.sameHere(pair, seen, waiting)) return false;
    return true;
  }

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
      // An object shared by both revisions may still lead to differences.
      for (const { key: held, ref } of innerReferences(before))
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

  private isKnown({ before, after, key }: Pair, seen: Set<string>): boolean {
    const [left, right] = [this.nameOf(before), this.nameOf(after)];
    if (left === null || right === null) return false;
    const pair = `${left} ${right}`;
    if ((left === right && this.isRuled(left, key)) || seen.has(pair) || this.strict.has(pair))
      return true;
    seen.add(pair);
    return false;
  }

  private nameOf(value: PdfObject | undefined): string | null {
    if (value instanceof PdfRef) return writeObject(value);
    if (!(value instanceof PdfArray || value instanceof PdfDict)) return null;
    const number = this.numbers.get(value) ?? this.numbers.size;
    this.numbers.set(value, number);
    return `#${number}`;
  }

  private isSameNumber(before: PdfNumber, after: PdfNumber): boolean {
    if (before.value !== after.value || !isBeyondReaders(before))
      return before.value === after.value;
    this.isRead ??= areStrictObjects(this.before) && areStrictObjects(this.after);
    return this.isRead && areSpelledAlike(before, after);
  }

  private isRuled(reference: string, key: string): boolean {
    // Source: ISO 32000-2 §12.8.1, table 256.
    if (key === "Data" && reference === writeObject(this.before.catalogRef)) return true;
    return (
      (this.ruledPages.has(reference) && PAGE_PLACES.has(key)) ||
      (this.ruledFields.has(reference) && FIELD_PLACES.has(key))
    );
  }
}

function sameStream(before: PdfDict, after: PdfDict): boolean {
  if (!(before instanceof PdfStream) || !(after instanceof PdfStream))
    return !(before instanceof PdfStream) && !(after instanceof PdfStream);
  // An untouched stream is the same slice of one buffer.
  const [left, right] = [before.data, after.data];
  const samePlace =
    left.buffer === right.buffer &&
    left.byteOffset === right.byteOffset &&
    left.length === right.length;
  return samePlace || equalBytes(left, right);
}
