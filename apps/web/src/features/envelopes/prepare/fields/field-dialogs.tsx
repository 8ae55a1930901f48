import type { Document, Layout } from "@paraphe/contracts";
import type { ReactNode } from "react";
import { Button } from "../../../../ui/button/button.tsx";
import { Dialog } from "../../../../ui/dialog/dialog.tsx";
import { AddFieldDialog } from "./add-field-dialog.tsx";
import { ApplyLayoutDialog, SaveLayoutDialog } from "./layout-dialogs.tsx";
import type { Draft, DraftField, DraftRecipient } from "../draft/draft.ts";
import type { FieldPlace } from "./field-copies.ts";
import { layoutOf } from "./field-layout.ts";
import { FieldListDialog } from "./field-list-dialog.tsx";
import type { FieldEditor } from "./use-field-editor.ts";
import styles from "./field-dialogs.module.css";

export type OpenDialog =
  | "list"
  | "add"
  | "properties"
  | "keys"
  | "save-layout"
  | "apply-layout"
  | null;
type FieldDialogsProps = {
  readonly open: OpenDialog;
  readonly draft: Draft;
  readonly documents: readonly Document[];
  readonly people: readonly DraftRecipient[];
  readonly editor: FieldEditor;
  readonly recipientKey: string;
  readonly properties: ReactNode;
  readonly start: { readonly documentId: string; readonly page: number };
  readonly onOpen: (dialog: OpenDialog) => void;
  readonly onEdit: (field: DraftField) => void;
  readonly onAdd: (place: FieldPlace) => void;
};

export function FieldDialogs(props: FieldDialogsProps) {
  const {
    open,
    draft,
    documents,
    people,
    editor,
    recipientKey,
    properties,
    start,
    onOpen,
    onEdit,
    onAdd,
  } = props;
  const close = () => onOpen(null);
  if (open === "keys") return <FieldKeysDialog onClose={close} />;
  if (open === "add")
    return (
      <AddFieldDialog
        {...{ documents, people, start, recipientKey }}
        onClose={close}
        onAdd={onAdd}
      />
    );
  if (open === "save-layout")
    return (
      <SaveLayoutDialog fields={layoutOf(draft.fields, { documents, people })} onClose={close} />
    );
  if (open === "apply-layout") {
    const apply = (layout: Layout) => {
      close();
      editor.applyLayout(layout);
    };
    return <ApplyLayoutDialog onApply={apply} onClose={close} />;
  }
  if (open === "list") {
    const edit = (key: string) => {
      const field = draft.fields.find((other) => other.key === key);
      if (field) onEdit(field);
    };
    return (
      <FieldListDialog
        draft={draft}
        documents={documents}
        onClose={close}
        onOpen={onOpen}
        onRemove={(key) => editor.remove([key])}
        onEdit={edit}
      />
    );
  }
  if (open !== "properties" || !properties) return null;
  return (
    <Dialog title="Propriétés du champ" sheet onClose={close}>
      {properties}
    </Dialog>
  );
}

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  [
    "Entrée, puis Entrée",
    "Prendre un champ de la palette, puis le poser au milieu de la page visible",
  ],
  ["Tab", "Aller d’un champ à l’autre, dans l’ordre de lecture"],
  ["Flèches", "Déplacer d’un point"],
  ["Maj + flèches", "Déplacer de 5 points"],
  ["Alt + flèches", "Changer la taille d’un point (avec Maj, de 5 points)"],
  ["Suppr", "Supprimer"],
  ["Ctrl + D", "Dupliquer"],
  ["Ctrl + C, Ctrl + X, Ctrl + V", "Copier, couper, coller à la même place de la page visible"],
  ["Ctrl + A", "Sélectionner tous les champs de la page"],
  ["Maj + clic, Maj + Espace", "Ajouter à la sélection, ou en retirer"],
  ["Ctrl + Z", "Annuler"],
  ["Ctrl + Maj + Z, Ctrl + Y", "Rétablir"],
  ["Alt en glissant", "Ne pas aligner sur les autres champs ni sur les marges"],
  ["Échap", "Désélectionner, reposer l’outil, abandonner le geste"],
  ["?", "Afficher cette liste"],
];

function FieldKeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title="Raccourcis clavier"
      size="lg"
      sheet
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          Fermer
        </Button>
      }
    >
      <dl className={styles.keys}>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
