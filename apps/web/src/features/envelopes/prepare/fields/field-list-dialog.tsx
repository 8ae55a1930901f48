import { type Document, FIELD_KINDS } from "@paraphe/contracts";
import { ofName } from "@paraphe/kernel/french-words";
import { inReadingOrder } from "../../../../pdf/fields/layer-field.ts";
import { Button } from "../../../../ui/button/button.tsx";
import { Dialog } from "../../../../ui/dialog/dialog.tsx";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../../ui/link/link-action.tsx";
import { formatFraction } from "./describe-field.ts";
import { type Draft, type DraftField, recipientName } from "../draft/draft.ts";
import styles from "../field-list-dialog.module.css";

type FieldListDialogProps = {
  readonly draft: Draft;
  readonly documents: readonly Document[];
  readonly onEdit: (key: string) => void;
  readonly onRemove: (key: string) => void;
  readonly onOpen: (dialog: "add" | "save-layout" | "apply-layout") => void;
  readonly onClose: () => void;
};

/** Does all the work of the step without showing the pages. */
export function FieldListDialog(props: FieldListDialogProps) {
  const { draft, documents, onOpen, onClose } = props;
  const fields = documents.flatMap((document) =>
    inReadingOrder(draft.fields.filter((field) => field.documentId === document.id)),
  );
  return (
    <Dialog
      title="Liste des champs"
      size="lg"
      sheet
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => onOpen("add")}>Ajouter sur la page…</Button>
          <Button variant="primary" onClick={onClose}>
            Fermer
          </Button>
        </>
      }
    >
      <p className={styles.layouts}>
        <LinkAction onClick={() => onOpen("save-layout")}>Enregistrer cette disposition</LinkAction>
        <LinkAction onClick={() => onOpen("apply-layout")}>Appliquer une disposition</LinkAction>
      </p>
      {fields.length === 0 ? <p>Aucun champ pour le moment.</p> : null}
      <FieldTable {...props} fields={fields} />
    </Dialog>
  );
}

type FieldTableProps = Pick<FieldListDialogProps, "draft" | "documents" | "onEdit" | "onRemove"> & {
  readonly fields: readonly DraftField[];
};

function FieldTable({ fields, draft, documents, onEdit, onRemove }: FieldTableProps) {
  const nameOf = (id: string) => documents.find((document) => document.id === id)?.name ?? "";
  return (
    <div className={styles.scroll}>
      <table className={styles.table} hidden={fields.length === 0}>
        <caption className="sr">Champs placés, dans l’ordre de lecture</caption>
        <thead>
          <tr>
            <th scope="col">Champ</th>
            <th scope="col">Destinataire</th>
            <th scope="col">Page</th>
            <th scope="col">Position</th>
            <th scope="col">Taille</th>
            <th scope="col">Obligatoire</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <FieldRow
              key={field.key}
              field={field}
              person={recipientName(draft, field.recipientKey)}
              document={documents.length > 1 ? nameOf(field.documentId) : null}
              onEdit={() => onEdit(field.key)}
              onRemove={() => onRemove(field.key)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type FieldRowProps = {
  readonly field: DraftField;
  readonly person: string;
  /** Null where there is one document only. */
  readonly document: string | null;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
};

function FieldRow({ field, person, document, onEdit, onRemove }: FieldRowProps) {
  const name = `${FIELD_KINDS[field.type].short} ${ofName(person)}, page ${field.page}`;
  return (
    <tr>
      <th scope="row">
        {FIELD_KINDS[field.type].tool}
        {field.label ? <small>{field.label}</small> : null}
      </th>
      <td data-label="Destinataire">{person}</td>
      <td className="num" data-label="Page">
        {document === null ? "" : `${document}, `}
        {field.page}
      </td>
      <td
        className="num nowrap"
        data-label="Position"
      >{`${formatFraction(field.x)} × ${formatFraction(field.y)}`}</td>
      <td
        className="num nowrap"
        data-label="Taille"
      >{`${formatFraction(field.width)} × ${formatFraction(field.height)}`}</td>
      <td data-label="Obligatoire">{field.required ? "Oui" : "Non"}</td>
      <td className="nowrap">
        <Button
          size="sm"
          variant="ghost"
          square
          aria-label={`Modifier\u00a0: ${name}`}
          onClick={onEdit}
        >
          <Icon name="edit" size="sm" />
        </Button>
        <Button
          size="sm"
          variant="ghost"
          square
          aria-label={`Supprimer\u00a0: ${name}`}
          onClick={onRemove}
        >
          <Icon name="trash" size="sm" />
        </Button>
      </td>
    </tr>
  );
}
