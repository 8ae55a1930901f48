import type { Document } from "@paraphe/contracts";
import { boxesOverlap } from "../../../pdf/box.ts";
import { type Draft, type DraftField, isBlankRecipient } from "./draft.ts";

/** What to look at while fields are placed; nothing is held back. */
export type FieldWarning =
  | { readonly kind: "overlap"; readonly text: string; readonly field: DraftField }
  | { readonly kind: "missing"; readonly text: string; readonly recipientKey: string };

/** Gives the pages where fields cover one another, then the signers who have nowhere to sign. */
export function fieldWarnings(draft: Draft, documents: readonly Document[]): readonly FieldWarning[] {
  const overlaps = documents.flatMap((document) => overlapsIn(draft.fields, document, documents.length > 1));
  const missing = draft.recipients
    .filter((row) => row.role === "signer" && !isBlankRecipient(row))
    .filter((row) => !draft.fields.some((field) => field.recipientKey === row.key && field.type === "signature"))
    .map((row) => ({
      kind: "missing" as const,
      text: `${row.fullName || row.email} n’a pas de champ Signature.`,
      recipientKey: row.key,
    }));
  return [...overlaps, ...missing];
}

function overlapsIn(fields: readonly DraftField[], { id, name }: Document, isOneOfSeveral: boolean): readonly FieldWarning[] {
  const byPage = Map.groupBy(
    fields.filter((field) => field.documentId === id),
    (field) => field.page,
  );
  return [...byPage]
    .sort(([a], [b]) => a - b)
    .flatMap(([page, there]) => {
      const field = there.find((one, index) => there.slice(index + 1).some((other) => boxesOverlap(one, other)));
      const place = isOneOfSeveral ? `${name}, page ${page}` : `page ${page}`;
      return field ? [{ kind: "overlap" as const, text: `Des champs se chevauchent (${place}).`, field }] : [];
    });
}
