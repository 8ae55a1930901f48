import type { Document, EnvelopeWarning } from "@paraphe/contracts";
import type { Draft, DraftField } from "./draft.ts";

/** `kind`: what the check list before sending makes of it. */
type CoveredPlace = { readonly kind: "blocking" | "warning"; readonly text: string; readonly field: DraftField };

const SENTENCES: Readonly<Record<EnvelopeWarning["code"], string>> = {
  covers_form_field: "Un champ recouvre un champ de formulaire ou une signature du fichier",
  mention_too_small: "Une mention serait imprimée trop petite pour être lue\u00a0: agrandissez son champ",
  page_covered:
    "Les champs couvrent trop la page, et une signature apposée avant eux ne serait plus valable\u00a0: réduisez-les, ou placez-les ailleurs",
};

/**
 * Gives the pages where a field lies over one of the file's own form, or over a signature it bears, or is too small for its sentence, and those
 * that fields cover so far that they cannot be signed, as the service found them when it last saved; a field that is gone since then warns of nothing.
 */
export function coveredPlaces(
  draft: Draft,
  documents: readonly Document[],
  warnings: readonly EnvelopeWarning[] = [],
): readonly CoveredPlace[] {
  const byPlace = new Map<string, CoveredPlace>();
  for (const warning of warnings) {
    const field = draft.fields.find((one) => one.id === warning.field_id);
    const document = documents.find((one) => one.id === field?.documentId);
    if (!field || !document) continue;
    const place = documents.length > 1 ? `${document.name}, page ${field.page}` : `page ${field.page}`;
    const text = `${SENTENCES[warning.code]} (${place}).`;
    if (!byPlace.has(text)) byPlace.set(text, { kind: warning.code === "page_covered" ? "blocking" : "warning", text, field });
  }
  return [...byPlace.values()];
}
