import type { EnvelopeWarning } from "@paraphe/contracts";
import type { EnvelopeField } from "./envelope.ts";

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
type Document = { readonly id: string; readonly pages: readonly { readonly fields?: readonly Box[] }[] };

/** What lies over another by less than this only touches it. Units: fractions of the page, half a millimetre of A4. */
const TOUCH = 0.002;

/** Gives a warning for each place that lies over a field of the file's own form, or over a signature the file bears: one would hide the other. */
export function coveredFields(envelope: {
  readonly documents: readonly Document[];
  readonly fields: readonly EnvelopeField[];
}): readonly EnvelopeWarning[] {
  const pages = new Map(envelope.documents.map((document) => [document.id, document.pages]));
  return envelope.fields
    .filter((field) => pages.get(field.documentId)?.[field.page - 1]?.fields?.some((own) => covers(field, own)))
    .map((field) => ({ code: "covers_form_field", field_id: field.id, document_id: field.documentId, page: field.page }));
}

function covers(field: Box, own: Box): boolean {
  const width = Math.min(field.x + field.width, own.x + own.width) - Math.max(field.x, own.x);
  const height = Math.min(field.y + field.height, own.y + own.height) - Math.max(field.y, own.y);
  return width > TOUCH && height > TOUCH;
}
