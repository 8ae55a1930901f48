import type { Envelope } from "@paraphe/contracts";
import { useState } from "react";
import { callMessage } from "../../lib/call-message.ts";
import { Radio } from "../../ui/checkbox/radio.tsx";
import { FormDialog } from "../../ui/dialog/form-dialog.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls } from "./envelope-calls.ts";
import { useFreshDetail } from "./use-fresh-detail.ts";

type Props = { readonly envelope: Envelope; readonly onClose: () => void };

const CHOICES = [
  { proofOnly: false, label: "Document visible", words: "Qui tient le papier voit le document signé et sa preuve." },
  { proofOnly: true, label: "Preuve seule", words: "Qui tient le papier voit qui a signé, quand, et les empreintes, sans le document." },
] as const;

/** Chooses what whoever scans a printed code is shown. */
export function PublicPageDialog({ envelope, onClose }: Props) {
  const show = useFreshDetail();
  const [proofOnly, setProofOnly] = useState(envelope.proof_only ?? false);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async () => {
    setIsBusy(true);
    setFailure(undefined);
    try {
      show(await envelopeCalls.changePublicPage(envelope.id, proofOnly));
      showToast("ok", proofOnly ? "La page publique ne montre que la preuve" : "La page publique montre le document");
      onClose();
    } catch (error) {
      setIsBusy(false);
      setFailure(callMessage(error, "La page publique n’a pas été changée. Réessayez."));
    }
  };
  return (
    <FormDialog
      {...{ isBusy, failure, onClose }}
      title="Page publique"
      sheet
      action="Enregistrer"
      closing="Fermer"
      onSubmit={() => void submit()}
    >
      <fieldset className="stack stack--sm">
        <legend className="h3">Ce que montre le QR code</legend>
        {CHOICES.map((choice) => (
          <Radio
            key={choice.label}
            name="public-page"
            value={String(choice.proofOnly)}
            checked={proofOnly === choice.proofOnly}
            onChange={() => setProofOnly(choice.proofOnly)}
            label={
              <>
                {choice.label}
                <br />
                <span className="muted small">{choice.words}</span>
              </>
            }
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}
