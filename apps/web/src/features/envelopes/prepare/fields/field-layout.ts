import { type Document, type LayoutField, isToCopy } from "@paraphe/contracts";
import type { Arrangement } from "../../../../pdf/fields/arrange-boxes.ts";
import type { IconName } from "../../../../ui/icon/icon.tsx";
import {
  type Draft,
  type DraftField,
  type DraftRecipient,
  isBlankRecipient,
} from "../draft/draft.ts";

type Stage = {
  readonly documents: readonly Pick<Document, "id" | "page_count">[];
  readonly people: readonly Pick<DraftRecipient, "key">[];
};
/** `leftOut`: fields without a page or a person. */
type AppliedLayout = { readonly fields: readonly DraftField[]; readonly leftOut: number };

/** The only texts are the sentences to copy. */
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

/** The recipients who fill fields, in display order. */
export function fieldPeople(draft: Pick<Draft, "recipients">): readonly DraftRecipient[] {
  return draft.recipients.filter((row) => row.role !== "viewer" && !isBlankRecipient(row));
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

/** Two fields can be aligned, three distributed. */
export const ARRANGEMENTS: readonly {
  readonly how: Arrangement;
  readonly label: string;
  readonly icon: IconName;
  readonly least: 2 | 3;
}[] = [
  { how: "left", label: "Aligner à gauche", icon: "align-left", least: 2 },
  { how: "center", label: "Centrer sur la même verticale", icon: "align-center", least: 2 },
  { how: "right", label: "Aligner à droite", icon: "align-right", least: 2 },
  { how: "top", label: "Aligner en haut", icon: "align-top", least: 2 },
  { how: "middle", label: "Centrer sur la même ligne", icon: "align-middle", least: 2 },
  { how: "bottom", label: "Aligner en bas", icon: "align-bottom", least: 2 },
  { how: "spread-x", label: "Répartir en largeur", icon: "spread-x", least: 3 },
  { how: "spread-y", label: "Répartir en hauteur", icon: "spread-y", least: 3 },
];
