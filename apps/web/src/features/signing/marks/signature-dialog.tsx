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
  /** The account's signatures; null for a guest, who keeps none. */
  readonly savedMarks: readonly SavedMark[] | null;
  readonly purpose?: MarkPurpose;
  /** How many signature fields there are: above one, it may serve for all. */
  readonly fieldCount: number;
  /** Why it opened, where a press asked for something else. */
  readonly reason?: string;
  readonly onUse: (mark: ChosenMark, everywhere: boolean) => void;
  /** Keeps a new mark among the account's; left out where there is no account, or no room for another. */
  readonly onSave?: ((mark: NewMark) => void) | undefined;
  readonly onClose: () => void;
};

/** Makes the signer's mark: drawn, typed, imported, or one of the account's. */
export function SignatureDialog({
  signerName,
  savedMarks,
  purpose = "signature",
  fieldCount,
  reason,
  onUse,
  onSave,
  onClose,
}: SignatureDialogProps) {
  const maker = useMarkMaker({ signerName, savedMarks, purpose });
  const [everywhere, setEverywhere] = useState(true);
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
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button
            variant="primary"
            blocked={mark === null}
            aria-describedby={mark === null ? "signature-manque" : undefined}
            onClick={() => mark && use(mark)}
          >
            {isInitials ? "Utiliser ce paraphe" : "Utiliser cette signature"}
          </Button>
        </>
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
        <MissingMark
          id="signature-manque"
          method={method}
          {...(isInitials && { words: ofInitials })}
        />
      ) : null}
    </Dialog>
  );
}

function ofInitials(sentence: string): string {
  return sentence.replace("votre signature", "votre paraphe");
}
