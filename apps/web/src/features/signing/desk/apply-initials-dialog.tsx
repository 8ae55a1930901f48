import { plural } from "../../../lib/format-numbers.ts";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import type { SigningField } from "./field-walk.ts";

type ApplyInitialsDialogProps = {
  readonly left: readonly SigningField[];
  readonly onApply: () => void;
  readonly onClose: () => void;
};

/** Shown once, after the first initials. */
export function ApplyInitialsDialog({ left, onApply, onClose }: ApplyInitialsDialogProps) {
  return (
    <Dialog
      title={`Appliquer ce paraphe ${whereLeft(left)}\u202f?`}
      onClose={onClose}
      withoutClose
      actions={
        <>
          <Button onClick={onClose}>Seulement ici</Button>
          <Button
            variant="primary"
            onClick={() => {
              onApply();
              onClose();
            }}
          >
            Appliquer partout
          </Button>
        </>
      }
    >
      <p className="ink2">Vous pourrez revenir en arrière avant de signer.</p>
    </Dialog>
  );
}

function whereLeft(left: readonly SigningField[]): string {
  const pages = new Set(left.map(({ document_id, page }) => `${document_id} ${page}`)).size;
  if (pages === left.length)
    return pages === 1
      ? "à la page restante"
      : `aux ${plural(pages, "page restante", "pages restantes")}`;
  return `aux ${plural(left.length, "emplacement restant", "emplacements restants")}`;
}
