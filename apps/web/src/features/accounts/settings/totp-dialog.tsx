import type { TotpSetup } from "@paraphe/contracts";
import encodeQR from "qr";
import { useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { Button } from "../../../ui/button/button.tsx";
import { CopyField } from "../../../ui/copy-field/copy-field.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { Qr } from "../../../ui/qr/qr.tsx";
import { TotpField } from "../totp-field.tsx";
import { activateTotp } from "./factor-calls.ts";
import styles from "./factors.module.css";

type Props = {
  readonly setup: TotpSetup;
  readonly onDone: (recoveryCodes: readonly string[]) => void;
  readonly onClose: () => void;
};

/** The code first, then the recovery codes. */
export function TotpDialog({ setup, onDone, onClose }: Props) {
  const [busy, setBusy] = useState(false);
  const [code, setCode] = useState("");
  const [error, setError] = useState<string>();
  const send = async (digits: string) => {
    if (busy) return;
    setBusy(true);
    try {
      onDone(await activateTotp(digits));
    } catch (refusal) {
      setError(callMessage(refusal, "Impossible d’activer l’application"));
      setCode("");
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Activer l’application d’authentification"
      size="lg"
      sheet
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button
            variant="primary"
            loading={busy}
            blocked={code.length < 6}
            onClick={() => void send(code)}
          >
            Activer
          </Button>
        </>
      }
    >
      <ol className={styles["steps"]}>
        <Secret {...setup} />
        <li>
          <TotpField
            label="2. Recopiez le code affiché"
            code={code}
            onChange={setCode}
            onComplete={(digits) => void send(digits)}
            error={error}
          />
        </li>
      </ol>
    </Dialog>
  );
}

function Secret({ secret, uri }: TotpSetup) {
  return (
    <li>
      <b>1. Scannez ce QR code avec l’application</b>
      <div className={styles["scan"]}>
        <Qr
          svg={encodeQR(uri, "svg", { ecc: "medium", border: 4 })}
          label="QR code de la clé, à scanner avec l’application"
        />
        <div className="stack stack--sm">
          <p className="small">
            Aegis, FreeOTP, 2FAS, Google Authenticator ou le trousseau de votre téléphone.
          </p>
          <details className={styles["byHand"]}>
            <summary>Saisir la clé à la main</summary>
            <CopyField label="la clé" hideLabel value={inFours(secret)} />
          </details>
        </div>
      </div>
    </li>
  );
}

function inFours(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, "$1 ");
}
