import type { Envelope, Print } from "@paraphe/contracts";
import { useMutation } from "@tanstack/react-query";
import { callMessage } from "../../../lib/api/api-error.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { CopyField } from "../../../ui/copy-field/copy-field.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Qr } from "../../../ui/qr/qr.tsx";
import { envelopeCalls } from "../envelope-calls.ts";

/** Only « Imprimer » lets the sender choose the code's place. */
const QR_TYPE: Print["qr_type"] = "last";

export function QrDialog({
  envelope,
  onClose,
}: {
  readonly envelope: Envelope;
  readonly onClose: () => void;
}) {
  const print = useMutation({
    mutationFn: () => envelopeCalls.generatePrint(envelope.id, QR_TYPE),
  });
  return (
    <Dialog
      title="QR de vérification"
      sheet
      onClose={onClose}
      actions={
        print.isSuccess ? (
          envelope.progress.signed > 0 && (
            <a
              className={buttonLook({ variant: "primary" })}
              href={print.data.printable_url}
              target="_blank"
              rel="noopener"
            >
              <Icon name="print" size="sm" />
              Exemplaire à imprimer
            </a>
          )
        ) : (
          <Button variant="primary" loading={print.isPending} onClick={() => print.mutate()}>
            Créer le QR code
          </Button>
        )
      }
    >
      {print.isSuccess ? (
        <PrintResult print={print.data} />
      ) : (
        <>
          <p>
            Reproduit sur un exemplaire imprimé, ce code mène à la page publique qui prouve la
            signature du document.
          </p>
          {print.isError && (
            <Alert tone="danger">
              {callMessage(print.error, "Impossible de créer le QR de vérification")}
            </Alert>
          )}
        </>
      )}
    </Dialog>
  );
}

function PrintResult({ print }: { readonly print: Print }) {
  return (
    <>
      <div className="row">
        <Qr svg={print.qr_svg} label="QR code de la page de vérification" />
        <div className="stack stack--sm">
          <a href={print.verify_url} target="_blank" rel="noopener">
            Page de vérification
          </a>
          <a href={print.proof_url} download="preuve.json">
            Télécharger la preuve (preuve.json)
          </a>
        </div>
      </div>
      <CopyField label="Adresse de la page de vérification" value={print.verify_url} />
    </>
  );
}
