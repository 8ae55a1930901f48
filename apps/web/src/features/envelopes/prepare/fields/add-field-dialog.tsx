import { type Document, type FieldType, FIELD_KINDS } from "@paraphe/contracts";
import { useState } from "react";
import { sizeOnPage } from "../../../../pdf/box.ts";
import { Button } from "../../../../ui/button/button.tsx";
import { Dialog } from "../../../../ui/dialog/dialog.tsx";
import { SelectField, TextField } from "../../../../ui/field/field.tsx";
import { formatFraction, parsePercent } from "./describe-field.ts";
import type { DraftRecipient } from "../draft/draft.ts";
import type { FieldPlace } from "./field-copies.ts";
import { KindSelect } from "./field-properties.tsx";
import styles from "../field-properties.module.css";
import { RecipientSelect } from "./field-palette.tsx";

type AddFieldDialogProps = {
  readonly documents: readonly Document[];
  readonly people: readonly DraftRecipient[];
  readonly recipientKey: string;
  readonly start: { readonly documentId: string; readonly page: number };
  readonly onAdd: (field: FieldPlace) => void;
  readonly onClose: () => void;
};
const ROWS = [
  { label: "en haut", at: 0.08 },
  { label: "au milieu", at: 0.5 },
  { label: "en bas", at: 0.92 },
] as const;
const COLUMNS = [
  { label: "à gauche", at: 0.095 },
  { label: "au centre", at: 0.5 },
  { label: "à droite", at: 0.905 },
] as const;
const PLACES = ROWS.flatMap((row) =>
  COLUMNS.map((column) => ({ label: `${row.label} ${column.label}`, x: column.at, y: row.at })),
);

type TypedPlace = AddFieldDialogProps["start"] & {
  /** Index in `PLACES`. */ readonly spot: number;
};
type TypedSize = { readonly width: string; readonly height: string };

export function AddFieldDialog({
  documents,
  people,
  recipientKey,
  start,
  onAdd,
  onClose,
}: AddFieldDialogProps) {
  const [type, setType] = useState<FieldType>("signature");
  const [person, setPerson] = useState(recipientKey);
  const [place, setPlace] = useState<TypedPlace>({ ...start, spot: PLACES.length - 1 });
  const [typed, setTyped] = useState<TypedSize | null>(null);
  const page = Math.min(place.page, pageCountOf(documents, place.documentId));
  const sheet = documents.find(({ id }) => id === place.documentId)?.pages[page - 1];
  const size = typed ?? usualSize(type, sheet);
  const add = () => {
    const [width, height] = [sizeRead(size.width), sizeRead(size.height)];
    if (width === null || height === null) return;
    const { documentId } = place;
    const { x, y } = PLACES[place.spot] ?? { x: 0.5, y: 0.5 };
    // The field grows away from the edge its place touches.
    const box = { x: x - width * anchor(x), y: y - height * anchor(y), width, height };
    onAdd({
      documentId,
      page,
      type,
      recipientKey: person,
      box,
    });
    onClose();
  };
  const chooseType = (chosen: FieldType) => {
    setType(chosen);
    setTyped(null);
  };
  return (
    <Dialog
      title="Ajouter sur la page"
      onClose={onClose}
      sheet
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button variant="primary" onClick={add}>
            Ajouter le champ
          </Button>
        </>
      }
    >
      {people.length > 1 ? (
        <RecipientSelect people={people} value={person} onChange={setPerson} look="full" />
      ) : null}
      <KindSelect label="Champ" value={type} onChange={chooseType} />
      <PlaceSelects documents={documents} place={place} onPlace={setPlace} />
      <SizeFields size={size} onSize={setTyped} />
    </Dialog>
  );
}

type PlaceSelectsProps = {
  readonly documents: readonly Document[];
  readonly place: TypedPlace;
  readonly onPlace: (place: TypedPlace) => void;
};

function PlaceSelects({ documents, place, onPlace }: PlaceSelectsProps) {
  return (
    <>
      {documents.length > 1 ? (
        <SelectField
          label="Document"
          value={place.documentId}
          onChange={(event) => onPlace({ ...place, documentId: event.target.value })}
        >
          {documents.map((document) => (
            <option key={document.id} value={document.id}>
              {document.name}
            </option>
          ))}
        </SelectField>
      ) : null}
      <SelectField
        label="Page"
        value={place.page}
        onChange={(event) => onPlace({ ...place, page: Number(event.target.value) })}
      >
        {Array.from({ length: pageCountOf(documents, place.documentId) }, (_, index) => (
          <option key={index + 1}>{index + 1}</option>
        ))}
      </SelectField>
      <SelectField
        label="Position"
        value={place.spot}
        onChange={(event) => onPlace({ ...place, spot: Number(event.target.value) })}
      >
        {PLACES.map((option, index) => (
          <option key={option.label} value={index}>
            {option.label}
          </option>
        ))}
      </SelectField>
    </>
  );
}

function SizeFields({ size, onSize }: { size: TypedSize; onSize: (size: TypedSize) => void }) {
  return (
    <fieldset>
      <legend className={styles.legend}>Taille, en % de la page</legend>
      <div className={styles.figures}>
        <TextField
          label="Largeur"
          inputMode="decimal"
          value={size.width}
          error={sizeRead(size.width) === null ? "1 à 100" : undefined}
          onChange={(event) => onSize({ ...size, width: event.target.value })}
        />
        <TextField
          label="Hauteur"
          inputMode="decimal"
          value={size.height}
          error={sizeRead(size.height) === null ? "1 à 100" : undefined}
          onChange={(event) => onSize({ ...size, height: event.target.value })}
        />
      </div>
    </fieldset>
  );
}

function pageCountOf(documents: readonly Document[], id: string): number {
  return documents.find((document) => document.id === id)?.page_count ?? 1;
}

function anchor(at: number): number {
  return at < 0.4 ? 0 : at > 0.6 ? 1 : 0.5;
}

function usualSize(type: FieldType, sheet: Document["pages"][number] | undefined): TypedSize {
  const { width, height } = sizeOnPage(FIELD_KINDS[type].size, sheet);
  const shown = (fraction: number) => formatFraction(fraction).replace("\u00a0%", "");
  return { width: shown(width), height: shown(height) };
}

function sizeRead(text: string): number | null {
  const fraction = parsePercent(text);
  return fraction !== null && fraction >= 0.01 ? fraction : null;
}
