import {
  type Document,
  type EnvelopeWarning,
  firstUnprinted,
  visibleText,
  isToCopy,
} from "@paraphe/contracts";
import { boxesOverlap } from "../../../../pdf/box.ts";
import { type Draft, type DraftField, isBlankRecipient } from "../draft/draft.ts";

/** A mention without its sentence. */
export function isSilentMention({ type, value }: Pick<DraftField, "type" | "value">): boolean {
  return isToCopy({ type }) && visibleText(value ?? "").trim() === "";
}

export function unprintedInField({
  label,
  value,
}: Pick<DraftField, "label" | "value">): string | null {
  return firstUnprinted(label ?? "") ?? firstUnprinted(value ?? "");
}

/** `kind`: as in the check list. */
type CoveredPlace = {
  readonly kind: "blocking" | "warning";
  readonly text: string;
  readonly field: DraftField;
};

const SENTENCES: Readonly<Record<EnvelopeWarning["code"], string>> = {
  covers_form_field: "Un champ recouvre un champ de formulaire ou une signature du fichier",
  mention_too_small: "Une mention serait trop petite pour être lue\u00a0: agrandissez son champ",
  page_covered:
    "Les champs couvrent trop la page, et une signature apposée avant eux ne serait plus valable\u00a0: réduisez-les ou déplacez-les",
};

/** Places found at the last save whose fields still exist. */
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
    const place =
      documents.length > 1 ? `${document.name}, page ${field.page}` : `page ${field.page}`;
    const text = `${SENTENCES[warning.code]} (${place}).`;
    if (!byPlace.has(text))
      byPlace.set(text, {
        kind: warning.code === "page_covered" ? "blocking" : "warning",
        text,
        field,
      });
  }
  return [...byPlace.values()];
}

export type FieldWarning =
  | { readonly kind: "overlap"; readonly text: string; readonly field: DraftField }
  | { readonly kind: "missing"; readonly text: string; readonly recipientKey: string };

/** Pages with overlapping fields, then signers without a signature field. */
export function fieldWarnings(
  draft: Draft,
  documents: readonly Document[],
): readonly FieldWarning[] {
  const overlaps = documents.flatMap((document) =>
    overlapsIn(draft.fields, document, documents.length > 1),
  );
  const missing = draft.recipients
    .filter((row) => row.role === "signer" && !isBlankRecipient(row))
    .filter(
      (row) =>
        !draft.fields.some((field) => field.recipientKey === row.key && field.type === "signature"),
    )
    .map((row) => ({
      kind: "missing" as const,
      text: `${row.fullName || row.email} n’a pas de champ Signature.`,
      recipientKey: row.key,
    }));
  return [...overlaps, ...missing];
}

function overlapsIn(
  fields: readonly DraftField[],
  { id, name }: Document,
  isOneOfSeveral: boolean,
): readonly FieldWarning[] {
  const byPage = Map.groupBy(
    fields.filter((field) => field.documentId === id),
    (field) => field.page,
  );
  return [...byPage]
    .sort(([a], [b]) => a - b)
    .flatMap(([page, there]) => {
      const field = there.find((one, index) =>
        there.slice(index + 1).some((other) => boxesOverlap(one, other)),
      );
      const place = isOneOfSeveral ? `${name}, page ${page}` : `page ${page}`;
      return field
        ? [{ kind: "overlap" as const, text: `Des champs se chevauchent (${place}).`, field }]
        : [];
    });
}
