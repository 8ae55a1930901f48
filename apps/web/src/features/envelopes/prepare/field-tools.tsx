import { ToolButton, toolLook } from "../../../pdf/tool-button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Menu } from "../../../ui/menu/menu.tsx";
import type { DraftRecipient } from "./draft.ts";
import { ARRANGEMENTS } from "./field-layout.ts";
import type { FieldEditor } from "./use-field-editor.ts";

type FieldToolsProps = {
  readonly editor: FieldEditor;
  readonly people: readonly DraftRecipient[];
  readonly pageCount: number;
  readonly isWide: boolean;
  readonly onProperties: () => void;
  readonly onRemove: (keys: readonly string[]) => void;
};

/** The buttons under the selection. On a small screen what needs more room is in the properties. */
export function FieldTools({
  editor,
  people,
  pageCount,
  isWide,
  onProperties,
  onRemove,
}: FieldToolsProps) {
  const keys = editor.selection.map((field) => field.key);
  return (
    <>
      {isWide ? null : (
        <ToolButton label="Propriétés du champ" icon="settings" onPress={onProperties} />
      )}
      {isWide && people.length > 1 ? (
        <Menu
          label="Changer de destinataire"
          triggerLabel="Changer de destinataire"
          triggerClassName={toolLook}
          trigger={<Icon name="user" size="sm" />}
          align="start"
          entries={people.map((row) => ({
            id: row.key,
            label: row.fullName || row.email,
            onAction: () => editor.change(keys, { recipientKey: row.key }),
          }))}
        />
      ) : null}
      {isWide && keys.length > 1 ? (
        <Menu
          label="Aligner"
          triggerLabel="Aligner"
          triggerClassName={toolLook}
          trigger={<Icon name="align-left" size="sm" />}
          align="start"
          entries={ARRANGEMENTS.map(({ how, label, icon, least }) => ({
            id: how,
            label,
            icon,
            disabled: keys.length < least,
            onAction: () => editor.arrange(how),
          }))}
        />
      ) : null}
      <ToolButton label="Dupliquer" icon="copy" onPress={() => editor.duplicate(keys)} />
      {pageCount > 1 ? (
        <ToolButton
          label="Dupliquer sur toutes les pages"
          icon="layers"
          onPress={() => editor.copyToAllPages(keys)}
        />
      ) : null}
      <ToolButton label="Supprimer" icon="trash" onPress={() => onRemove(keys)} />
    </>
  );
}
