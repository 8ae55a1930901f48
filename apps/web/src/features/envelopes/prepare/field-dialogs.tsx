import type { Document, Layout } from "@paraphe/contracts";
import type { ReactNode } from "react";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { AddFieldDialog } from "./add-field-dialog.tsx";
import type { Draft, DraftField, DraftRecipient } from "./draft.ts";
import { ApplyLayoutDialog } from "./apply-layout-dialog.tsx";
import type { FieldPlace } from "./field-copies.ts";
import { layoutOf } from "./field-layout.ts";
import { SaveLayoutDialog } from "./save-layout-dialog.tsx";
import { FieldKeysDialog } from "./field-keys-dialog.tsx";
import { FieldListDialog } from "./field-list-dialog.tsx";
import type { FieldEditor } from "./use-field-editor.ts";

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

/** The dialogs of the field step: the list, the addition without a pointer, the keys, the properties on a small screen. */
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
