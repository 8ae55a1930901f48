import type { Document, EnvelopeWarning } from "@paraphe/contracts";
import type { Draft, DraftField } from "./draft.ts";

type CoveredPlace = { readonly text: string; readonly field: DraftField };

const SENTENCES: Readonly<Record<EnvelopeWarning["code"], string>> = {
  covers_form_field: "Un champ recouvre un champ de formulaire ou une signature du fichier",
  mention_too_small: "Une mention serait imprimée trop petite pour être lue\u00a0: agrandissez son champ",
};

/**
 * Gives the pages where a field lies over one of the file's own form, or over a signature it bears, or is too small for its sentence, as the service
 * found them when it last saved; a field that is gone since then warns of nothing.
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
    if (!byPlace.has(text)) byPlace.set(text, { text, field });
  }
  return [...byPlace.values()];
}
