import type { NewMark } from "@paraphe/contracts";
import { useState } from "react";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import type { ChosenMark, MarkPurpose, SavedMark } from "./chosen-mark.ts";
import { MarkMakerTabs, MissingMark } from "./mark-maker-tabs.tsx";
import { useMarkMaker } from "./use-mark-maker.ts";

export type SignatureDialogProps = {
  readonly signerName: string;
  readonly savedMarks: readonly SavedMark[] | null;
  readonly purpose?: MarkPurpose;
  /** Above one, the mark may serve for all. */
  readonly fieldCount: number;
  /** False where the other fields are in files not yet seen. */
  readonly isForAll?: boolean;
  /** Shown where another button opened the dialog. */
  readonly reason?: string;
  readonly onUse: (mark: ChosenMark, everywhere: boolean) => void;
  readonly onSave?: ((mark: NewMark) => void) | undefined;
  readonly onClose: () => void;
};

const MISSING = "signature-manque";

export function SignatureDialog({
  signerName,
  savedMarks,
  purpose = "signature",
  fieldCount,
  isForAll = true,
  reason,
  onUse,
  onSave,
  onClose,
}: SignatureDialogProps) {
  const maker = useMarkMaker({ signerName, savedMarks, purpose });
  const [everywhere, setEverywhere] = useState(isForAll);
  const [isKept, setIsKept] = useState(false);
  const { mark, method } = maker;
  const isInitials = purpose === "initials";
  const use = (chosen: ChosenMark) => {
    if (isKept && onSave !== undefined && chosen.mark.kind !== "saved") onSave(chosen.mark);
    onUse(chosen, everywhere);
  };
  return (
    <Dialog
      title={isInitials ? "Votre paraphe" : "Votre signature"}
      size="lg"
      full
      columns
      onClose={onClose}
      actions={
        <UseMark {...{ isInitials, onClose }} onUse={mark === null ? null : () => use(mark)} />
      }
    >
      {reason === undefined ? null : <Alert tone="info">{reason}</Alert>}
      <MarkMakerTabs maker={maker} />
      {fieldCount > 1 ? (
        <Checkbox
          label={`Utiliser pour tous mes champs Signature (${fieldCount})`}
          checked={everywhere}
          onChange={(event) => setEverywhere(event.target.checked)}
        />
      ) : null}
      {onSave !== undefined && method !== "saved" ? (
        <Checkbox
          label="Enregistrer dans Mes signatures"
          checked={isKept}
          onChange={(event) => setIsKept(event.target.checked)}
        />
      ) : null}
      {mark === null ? (
        <MissingMark id={MISSING} method={method} {...(isInitials && { words: ofInitials })} />
      ) : null}
    </Dialog>
  );
}

type UseMarkProps = {
  readonly isInitials: boolean;
  readonly onUse: (() => void) | null;
  readonly onClose: () => void;
};

function UseMark({ isInitials, onUse, onClose }: UseMarkProps) {
  return (
    <>
      <Button onClick={onClose}>Annuler</Button>
      <Button
        variant="primary"
        blocked={onUse === null}
        aria-describedby={onUse === null ? MISSING : undefined}
        onClick={() => onUse?.()}
      >
        {isInitials ? "Utiliser ce paraphe" : "Utiliser cette signature"}
      </Button>
    </>
  );
}

function ofInitials(sentence: string): string {
  return sentence.replace("votre signature", "votre paraphe");
}
