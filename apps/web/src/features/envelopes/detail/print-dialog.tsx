import type { Envelope } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { serverSentence } from "../../../lib/api/api-error.ts";
import {
  type PrintChoice,
  readSigningPreferences,
} from "../../../lib/browser/signing-preferences.ts";
import { PRINT_CHOICES } from "../prepare/sending/public-page-words.ts";
import { Radio } from "../../../ui/checkbox/checkbox.tsx";
import { FormDialog } from "../../../ui/dialog/form-dialog.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { envelopeCalls } from "../envelope-calls.ts";
import { openTab, printWhenShown } from "../use-print.ts";

type Props = { readonly envelope: Envelope; readonly onClose: () => void };

export function PrintDialog({ envelope, onClose }: Props) {
  const [choice, setChoice] = useState<PrintChoice>(() => readSigningPreferences().print);
  const [documentId, setDocumentId] = useState(envelope.documents[0]?.id ?? "");
  const [isBusy, setIsBusy] = useState(false);
  const client = useQueryClient();
  const submit = async () => {
    setIsBusy(true);
    try {
      printWhenShown(await openTab(() => addressOf({ envelope, choice, documentId })));
      showToast("ok", "Ouverture de l'impression");
      onClose();
    } catch (error) {
      setIsBusy(false);
      showToast("err", "Échec de l'impression", { detail: serverSentence(error) });
    }
    void client.invalidateQueries({ queryKey: ["prints", envelope.id] });
  };
  return (
    <FormDialog
      {...{ isBusy, onClose }}
      title="Imprimer"
      sheet
      action="Imprimer"
      onSubmit={() => void submit()}
    >
      {envelope.documents.length > 1 && (
        <SelectField
          label="Document"
          value={documentId}
          onChange={(event) => setDocumentId(event.target.value)}
        >
          {envelope.documents.map((file) => (
            <option key={file.id} value={file.id}>
              {file.name}
            </option>
          ))}
        </SelectField>
      )}
      <CodeChoice choice={choice} onChoose={setChoice} />
      {choice !== "none" && (
        <p className="muted small">
          La copie imprimée ne porte pas de signature électronique&nbsp;: le code mène au fichier
          signé et à sa preuve.
        </p>
      )}
    </FormDialog>
  );
}

type CodeChoiceProps = {
  readonly choice: PrintChoice;
  readonly onChoose: (choice: PrintChoice) => void;
};

function CodeChoice({ choice, onChoose }: CodeChoiceProps) {
  return (
    <fieldset className="stack stack--sm">
      <legend className="h3">QR code de vérification</legend>
      {PRINT_CHOICES.map(({ value, label, words }) => (
        <Radio
          key={value}
          name="qr"
          value={value}
          checked={choice === value}
          onChange={() => onChoose(value)}
          label={
            <>
              {label}
              <br />
              <span className="muted small">{words}</span>
            </>
          }
        />
      ))}
    </fieldset>
  );
}

type Chosen = {
  readonly envelope: Envelope;
  readonly choice: PrintChoice;
  readonly documentId: string;
};

async function addressOf({ envelope, choice, documentId }: Chosen): Promise<string> {
  if (choice === "none") return envelopeCalls.fileUrl(envelope.id, documentId);
  const { printable_url } = await envelopeCalls.generatePrint(envelope.id, choice);
  return envelope.documents.length > 1 ? `${printable_url}&document=${documentId}` : printable_url;
}
