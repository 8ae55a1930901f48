import { type TotpSetup, MAX_PASSKEY_NAME_LENGTH } from "@paraphe/contracts";
import encodeQR from "qr";
import { useState, useRef } from "react";
import { useQuery } from "@tanstack/react-query";
import { callMessage, ApiError } from "../../../lib/api/api-error.ts";
import { Button } from "../../../ui/button/button.tsx";
import { CopyField } from "../../../ui/copy-field/copy-field.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { Qr } from "../../../ui/qr/qr.tsx";
import { TotpField } from "../totp-field.tsx";
import { activateTotp } from "./factor-calls.ts";
import { announce } from "../../../lib/browser/announce.ts";
import { saveBlob } from "../../../lib/browser/save-blob.ts";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { FormDialog } from "../../../ui/dialog/form-dialog.tsx";
import { TextField } from "../../../ui/field/field.tsx";
import { addPasskey, isCancelled, isKnownPasskey } from "../passkeys.ts";
import { sessionsQuery } from "./use-sessions.ts";
import styles from "./factors.module.css";

type Props = {
  readonly setup: TotpSetup;
  readonly onDone: (recoveryCodes: readonly string[]) => void;
  readonly onClose: () => void;
};

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

type CodesProps = { readonly codes: readonly string[]; readonly onClose: () => void };

/** The codes are shown once: the dialog stays until the box is ticked. */
export function CodesDialog({ codes, onClose }: CodesProps) {
  const [safe, setSafe] = useState(false);
  const text = `Codes de secours de Paraphe\n\n${codes.join("\n")}\n`;
  const copy = async () => {
    await navigator.clipboard.writeText(codes.join("\n"));
    announce("Copié");
  };
  return (
    <Dialog
      title="Vos codes de secours"
      sheet
      withoutClose
      locked={!safe}
      onClose={onClose}
      actions={
        <Button variant="primary" blocked={!safe} onClick={onClose}>
          Terminer
        </Button>
      }
    >
      <p>
        Si vous perdez votre téléphone, chacun de ces codes vous connecte une fois. Gardez-les hors
        de votre ordinateur{"\u202f"}; ils ne seront plus affichés.
      </p>
      <ul className={styles["codes"]} aria-label="Codes de secours">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="row">
        <Button size="sm" onClick={() => void copy()}>
          <Icon name="copy" size="sm" />
          Copier
        </Button>
        <Button
          size="sm"
          onClick={() => saveBlob(new Blob([text], { type: "text/plain" }), "codes-paraphe.txt")}
        >
          <Icon name="download" size="sm" />
          Télécharger
        </Button>
        <Button size="sm" onClick={() => globalThis.print()}>
          <Icon name="print" size="sm" />
          Imprimer
        </Button>
      </div>
      <Checkbox
        label="J’ai mis ces codes en lieu sûr"
        checked={safe}
        onChange={(event) => setSafe(event.target.checked)}
      />
    </Dialog>
  );
}

type PasskeyProps = {
  readonly onDone: (recoveryCodes: readonly string[]) => void;
  readonly onClose: () => void;
};

export function PasskeyDialog({ onDone, onClose }: PasskeyProps) {
  const input = useRef<HTMLInputElement>(null);
  const { data: sessions } = useQuery(sessionsQuery);
  const device = sessions?.find(({ current }) => current)?.device ?? "";
  const [typed, setTyped] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [fault, setFault] = useState<string>();
  const name = typed ?? device;
  const add = async () => {
    setFailure(undefined);
    setFault(name.trim() === "" ? "Nom de la clé requis" : undefined);
    if (name.trim() === "") {
      input.current?.focus();
      return;
    }
    setBusy(true);
    try {
      onDone((await addPasskey(name)).recovery_codes);
    } catch (error) {
      setFault(error instanceof ApiError ? error.fieldErrors["name"]?.join(" ") : undefined);
      setFailure(refusalOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <FormDialog
      title="Ajouter une clé d’accès"
      sheet
      action="Continuer"
      isBusy={busy}
      failure={failure}
      initialFocus={input}
      onClose={onClose}
      onSubmit={() => void add()}
    >
      <p>Votre appareil va vous demander votre visage, votre empreinte ou votre code.</p>
      <TextField
        ref={input}
        label="Nom de la clé"
        help="Pour la reconnaître dans cette liste."
        maxLength={MAX_PASSKEY_NAME_LENGTH}
        value={name}
        onChange={(event) => setTyped(event.target.value)}
        error={fault}
      />
    </FormDialog>
  );
}

function refusalOf(error: unknown): string | undefined {
  if (isCancelled(error)) return "Aucune clé d’accès n’a répondu. Réessayez.";
  if (isKnownPasskey(error)) return "Cette clé d’accès est déjà enregistrée sur ce compte.";
  if (error instanceof ApiError && error.fieldErrors["name"]) return undefined;
  return callMessage(error, "Impossible d’ajouter la clé d’accès");
}
