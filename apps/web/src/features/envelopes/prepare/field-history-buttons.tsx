import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import type { FieldEditor } from "./use-field-editor.ts";

/** Ctrl + Z and Ctrl + Y for a hand without a keyboard. */
export function FieldHistoryButtons({ editor }: { editor: Pick<FieldEditor, "undo" | "redo"> }) {
  return (
    <>
      <Button variant="ghost" square aria-label="Annuler la dernière modification" title="Annuler (Ctrl + Z)" onClick={editor.undo}>
        <Icon name="undo" />
      </Button>
      <Button variant="ghost" square aria-label="Rétablir la modification" title="Rétablir (Ctrl + Y)" onClick={editor.redo}>
        <Icon name="redo" />
      </Button>
    </>
  );
}
