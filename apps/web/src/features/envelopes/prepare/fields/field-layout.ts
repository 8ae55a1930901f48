import { type Document, type LayoutField, isToCopy } from "@paraphe/contracts";
import type { Arrangement } from "../../../../pdf/fields/arrange-boxes.ts";
import type { Drawing } from "../../../../ui/icon/icon.tsx";
import {
  type Draft,
  type DraftField,
  type DraftRecipient,
  isBlankRecipient,
  signs,
} from "../draft/draft.ts";

type Stage = {
  readonly documents: readonly Pick<Document, "id" | "page_count">[];
  readonly people: readonly Pick<DraftRecipient, "key">[];
};
/** `leftOut`: fields without a page or a person. */
type AppliedLayout = { readonly fields: readonly DraftField[]; readonly leftOut: number };

/** A layout contains no text except the sentences to copy. */
export function layoutOf(
  fields: Draft["fields"],
  { documents, people }: Stage,
): readonly LayoutField[] {
  return fields.flatMap(
    ({ documentId, recipientKey, type, page, x, y, width, height, required, label, value }) => {
      const document_rank = documents.findIndex((document) => document.id === documentId);
      const person_rank = people.findIndex((person) => person.key === recipientKey);
      if (document_rank < 0 || person_rank < 0) return [];
      const place = { document_rank, person_rank, type, page, x, y, width, height };
      return [{ ...place, required, label, value: isToCopy({ type }) ? value : null }];
    },
  );
}

/** A field already in the same place is not added again. */
export function applyLayout(
  layout: readonly LayoutField[],
  stage: Stage & { readonly present: readonly DraftField[]; readonly newKey: () => string },
): AppliedLayout {
  const wanted = layout.flatMap(
    ({ document_rank, person_rank, ...field }): readonly DraftField[] => {
      const document = stage.documents[document_rank];
      const person = stage.people[person_rank];
      if (!document || !person || field.page > document.page_count) return [];
      const page = field.page === -1 ? document.page_count : field.page;
      return [
        { ...field, page, key: stage.newKey(), documentId: document.id, recipientKey: person.key },
      ];
    },
  );
  return {
    fields: wanted.filter((field) => !stage.present.some((other) => isSame(field, other))),
    leftOut: layout.length - wanted.length,
  };
}

export function fieldPeople(draft: Pick<Draft, "recipients">): readonly DraftRecipient[] {
  return draft.recipients.filter((row) => signs(row) && !isBlankRecipient(row));
}

function isSame(one: DraftField, other: DraftField): boolean {
  const near = (a: number, b: number) => Math.abs(a - b) < 0.002;
  return (
    one.documentId === other.documentId &&
    one.page === other.page &&
    one.type === other.type &&
    one.recipientKey === other.recipientKey &&
    near(one.x, other.x) &&
    near(one.y, other.y)
  );
}

export const ALIGN_LEFT = "M4 3v18M8 6h12v4H8zM8 14h7v4H8z";

/** Two fields can be aligned, three distributed. */
export const ARRANGEMENTS: readonly {
  readonly how: Arrangement;
  readonly label: string;
  readonly icon: Drawing;
  readonly least: 2 | 3;
}[] = [
  { how: "left", label: "Aligner à gauche", icon: ALIGN_LEFT, least: 2 },
  {
    how: "center",
    label: "Centrer sur la même verticale",
    icon: "M12 3v3m0 4v4m0 4v3M5 6h14v4H5zM8 14h8v4H8z",
    least: 2,
  },
  { how: "right", label: "Aligner à droite", icon: "M20 3v18M4 6h12v4H4zM9 14h7v4H9z", least: 2 },
  { how: "top", label: "Aligner en haut", icon: "M3 4h18M6 8h4v12H6zM14 8h4v7h-4z", least: 2 },
  {
    how: "middle",
    label: "Centrer sur la même ligne",
    icon: "M3 12h3m4 0h4m4 0h3M6 5h4v14H6zM14 8h4v8h-4z",
    least: 2,
  },
  { how: "bottom", label: "Aligner en bas", icon: "M3 20h18M6 4h4v12H6zM14 9h4v7h-4z", least: 2 },
  { how: "spread-x", label: "Répartir en largeur", icon: "M3 4v16M21 4v16M9 7h6v10H9z", least: 3 },
  { how: "spread-y", label: "Répartir en hauteur", icon: "M4 3h16M4 21h16M7 9h10v6H7z", least: 3 },
];
