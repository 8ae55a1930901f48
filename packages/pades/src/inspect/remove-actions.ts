import { PdfArray, PdfDict, type PdfObject } from "@libpdf/core";
import { dictAt, follow, type OpenPdf } from "../pdf/open-pdf.ts";
import { actionFinding, isRemoved, keepOwnData } from "./active-content.ts";
import { disarm } from "./lookalike-data.ts";
import { eachDict } from "./walk-objects.ts";

/** Takes every script, every action that leaves the document or changes what it shows, and a portfolio's cover out of the object graph. */
export function removeActions(open: OpenPdf): void {
  const names = dictAt(open, open.catalog, "Names");
  names?.delete("JavaScript");
  open.catalog.delete("Collection");
  const banned = (value: PdfObject | undefined): boolean => {
    const target = follow(open, value);
    if (!(target instanceof PdfDict)) return false;
    const finding = actionFinding(open, target);
    return finding !== null && isRemoved(finding);
  };
  for (const dict of eachDict(open)) {
    disarm(dict);
    keepOwnData(open, dict);
    for (const [key, value] of Array.from(dict)) {
      if (banned(value)) dict.delete(key.value);
      const list = follow(open, value);
      if (!(list instanceof PdfArray) || !list.toArray().some(banned)) continue;
      dict.set(key.value, new PdfArray(list.toArray().filter((item) => !banned(item))));
    }
  }
}
