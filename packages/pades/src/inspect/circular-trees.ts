import { PdfArray, PdfDict, type PdfObject, PdfRef } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { arrayAt, dictAt, follow, type OpenPdf } from "../pdf/open-pdf.ts";

/**
 * Refuses a form or a structure tree that comes back to itself, and a page tree that lists a node twice or has pages below a page: readers differ on it, and some
 * validators give up on the whole file.
 * Errors: PadesError `pdf_damaged`.
 * Source: ISO 32000-2 §7.7.3.2 (pages), §12.7.4.1 (fields), §14.7.2 (structure hierarchy): trees, all of them.
 */
export function refuseCircularTrees(open: OpenPdf): void {
  if (open.pdf.context.pages.getPages().some((ref) => hasKids(open, ref)))
    throw new PadesError("pdf_damaged", "Expected pages without pages below them", { clause: "ISO 32000-2 §7.7.3.3, table 31" });
  if (listsPageTwice(open)) throw new PadesError("pdf_damaged", "Expected a tree of pages", { clause: "ISO 32000-2 §7.7.3.2" });
  const form = dictAt(open, open.catalog, "AcroForm");
  const fields = form ? arrayAt(open, form, "Fields") : undefined;
  if (fields && isCircular(open, fields, "Kids"))
    throw new PadesError("pdf_damaged", "Expected a tree of fields", { clause: "ISO 32000-2 §12.7.4.1" });
  const structure = open.catalog.get("StructTreeRoot");
  if (structure && isCircular(open, structure, "K"))
    throw new PadesError("pdf_damaged", "Expected a tree of structure elements", { clause: "ISO 32000-2 §14.7.2" });
}

/** Some readers take such a node for a page, by its type, and others for a part of the tree, by what it has. */
function hasKids(open: OpenPdf, ref: PdfRef): boolean {
  const page = follow(open, ref);
  return page instanceof PdfDict && page.has("Kids");
}

/** The parser shows such a page once; others show it as often as it is listed, or look for pages without end. */
function listsPageTwice(open: OpenPdf): boolean {
  const seen = new Set<string>();
  const waiting: (PdfObject | undefined)[] = [open.catalog.get("Pages")];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const name = node instanceof PdfRef ? node.toString() : null;
    if (name && seen.has(name)) return true;
    if (name) seen.add(name);
    const dict = follow(open, node);
    for (const kid of (dict instanceof PdfDict && arrayAt(open, dict, "Kids")) || []) waiting.push(kid);
  }
  return false;
}

type Step = { readonly value: PdfObject } | { readonly leave: string };

/** Walks down `key` with its own stack; a node met again while it is still open is a circle. */
function isCircular(open: OpenPdf, start: PdfObject, key: string): boolean {
  const opened = new Set<string>();
  const done = new Set<string>();
  const stack: Step[] = [{ value: start }];
  for (let step = stack.pop(); step; step = stack.pop()) {
    if ("leave" in step) {
      opened.delete(step.leave);
      done.add(step.leave);
      continue;
    }
    const name = step.value instanceof PdfRef ? step.value.toString() : null;
    if (name && opened.has(name)) return true;
    if (name && done.has(name)) continue;
    if (name) {
      opened.add(name);
      stack.push({ leave: name });
    }
    const target = follow(open, step.value);
    const children = target instanceof PdfDict ? target.get(key) : target;
    if (children instanceof PdfArray) for (const value of children) if (isNode(value)) stack.push({ value });
    if (target instanceof PdfDict && children && isNode(children)) stack.push({ value: children });
  }
  return false;
}

const isNode = (value: PdfObject): boolean => value instanceof PdfRef || value instanceof PdfArray || value instanceof PdfDict;
