import { PdfArray, PdfDict, PdfNumber, type PdfObject, PdfRef, type PdfStream } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { arrayAt, dictAt, follow, nameAt, numberAt, type OpenPdf, textAt } from "./open-pdf.ts";

export type FieldParent = {
  readonly name: string;
  readonly dict: PdfDict;
  readonly ref: PdfRef | null;
};

/** `ref` is null for a direct object; `value` may be inherited; `parents`: from the root down. */
export type FormField = {
  readonly name: string;
  readonly type: string;
  readonly value: PdfObject | undefined;
  readonly dict: PdfDict;
  readonly ref: PdfRef | null;
  readonly parents: readonly FieldParent[];
};

type Parent = Pick<FormField, "name" | "type" | "value" | "parents">;

const MAX_FIELDS = 100_000;
/** Above any producer's nesting and names. */
const MAX_DEPTH = 100;
const MAX_NAME_CHARACTERS = 20_000_000;

/**
 * Every terminal field with its full name.
 * Errors: `pdf_too_complex` for more or deeper fields than any honest form has.
 * Source: ISO 32000-2 §12.7.4.1, table 226 (type and value are inherited), §12.7.4.2.
 */
export function formFields(open: OpenPdf): readonly FormField[] {
  const form = dictAt(open, open.catalog, "AcroForm");
  const roots = form ? arrayAt(open, form, "Fields") : undefined;
  const out: FormField[] = [];
  const seen = new Set<PdfDict>();
  let characters = 0;
  const visit = (list: PdfArray, parent: Parent): void => {
    for (const item of list) {
      const dict = follow(open, item);
      if (!(dict instanceof PdfDict) || seen.has(dict)) continue;
      seen.add(dict);
      const partial = textAt(open, dict, "T");
      const name = [parent.name, partial].filter(Boolean).join(".");
      characters += name.length;
      if (
        out.length >= MAX_FIELDS ||
        parent.parents.length > MAX_DEPTH ||
        characters > MAX_NAME_CHARACTERS
      )
        throw new PadesError("pdf_too_complex", "Expected a form of a bearable size", {
          clause: "ISO 32000-2 §12.7.4.1",
        });
      const type = nameAt(open, dict, "FT") ?? parent.type;
      const value = dict.get("V") ?? parent.value;
      const kids = arrayAt(open, dict, "Kids");
      const hasFieldKids = kids?.toArray().some((kid) => {
        const child = follow(open, kid);
        return child instanceof PdfDict && child.has("T");
      });
      const ref = item instanceof PdfRef ? item : null;
      const { parents } = parent;
      if (kids && hasFieldKids)
        visit(kids, { name, type, value, parents: [...parents, { name, dict, ref }] });
      else out.push({ name, type, value, dict, ref, parents });
    }
  };
  if (roots) visit(roots, { name: "", type: "", value: undefined, parents: [] });
  return out;
}

/** One without a ByteRange shows as a signature too. Source: ISO 32000-2 §12.8.1. */
export function signedFields(open: OpenPdf): readonly (FormField & { readonly value: PdfDict })[] {
  return formFields(open).flatMap((field) => {
    const value = field.type === "Sig" ? follow(open, field.value) : undefined;
    return value instanceof PdfDict ? [{ ...field, value }] : [];
  });
}

/**
 * 1 nothing, 2 filling and signing, 3 also annotations; null without one.
 * Source: ISO 32000-2 §12.8.2.2.
 */
export function certificationLevel(open: OpenPdf): number | null {
  const permissions = dictAt(open, open.catalog, "Perms");
  const certification = permissions ? dictAt(open, permissions, "DocMDP") : undefined;
  const references = certification ? arrayAt(open, certification, "Reference") : undefined;
  for (const item of references ?? []) {
    const reference = follow(open, item);
    if (!(reference instanceof PdfDict) || nameAt(open, reference, "TransformMethod") !== "DocMDP")
      continue;
    const parameters = dictAt(open, reference, "TransformParams");
    return (parameters ? numberAt(open, parameters, "P") : undefined) ?? 2;
  }
  return null;
}

/**
 * Without a BBox some readers draw all of a form, others nothing.
 * Source: ISO 32000-2 §8.10.2, table 93 (BBox is required).
 */
export function hasFrame(open: OpenPdf, form: PdfStream): boolean {
  const box = follow(open, form.get("BBox"));
  return (
    box instanceof PdfArray &&
    box.length === 4 &&
    box.toArray().every((item) => isFinite(open, item))
  );
}

function isFinite(open: OpenPdf, item: Parameters<typeof follow>[1]): boolean {
  const number = follow(open, item);
  return number instanceof PdfNumber && Number.isFinite(number.value);
}
