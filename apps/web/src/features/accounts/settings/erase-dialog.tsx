import { EVIDENCE_RETENTION_YEARS } from "@paraphe/contracts";
import { useId, useRef, useState } from "react";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { PasswordField } from "../../../ui/field/password-field.tsx";
import { TextLink } from "../../../ui/link/text-link.tsx";
import { OpenEnvelopes } from "./open-envelopes.tsx";
import styles from "./settings.module.css";
import { useEraseAccount } from "./use-erase-account.ts";

/** Asks for the password before the one thing that nobody can undo; says what goes, what stays, and why. */
export function EraseDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useId();
  const field = useRef<HTMLInputElement>(null);
  const [password, setPassword] = useState("");
  const [cancelOpen, setCancelOpen] = useState(false);
  const erasure = useEraseAccount(() => field.current?.focus());
  return (
    <Dialog
      title={"Supprimer votre compte\u202f?"}
      role="alertdialog"
      withoutClose
      sheet
      locked={erasure.busy}
      onClose={onClose}
      initialFocus={field}
      actions={
        <>
          <Button onClick={onClose} blocked={erasure.busy}>
            Annuler
          </Button>
          <Button type="submit" form={form} variant="danger" loading={erasure.busy}>
            Supprimer mon compte
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          erasure.erase({ password, cancel_open: cancelOpen });
        }}
      >
        <WhatGoesAndStays />
        {erasure.open && <OpenEnvelopes {...erasure.open} cancel={cancelOpen} onCancel={setCancelOpen} />}
        {erasure.failure !== undefined && <Alert tone="danger">{erasure.failure}</Alert>}
        <PasswordField
          ref={field}
          label="Mot de passe"
          help="Pour confirmer que c’est bien vous."
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={erasure.passwordError}
        />
      </form>
    </Dialog>
  );
}

function WhatGoesAndStays() {
  return (
    <>
      <div>
        <p>
          <b>{"Effacés, définitivement\u00a0:"}</b>
        </p>
        <ul className={styles["kept"]}>
          <li>votre profil, votre photo et vos préférences</li>
          <li>vos sessions et vos abonnements aux notifications</li>
          <li>vos brouillons et votre corbeille, avec leurs fichiers</li>
        </ul>
      </div>
      <div>
        <p>
          <b>{"Conservées\u00a0:"}</b>
        </p>
        <ul className={styles["kept"]}>
          <li>
            {`les enveloppes terminées et leurs preuves, ${EVIDENCE_RETENTION_YEARS}\u00a0ans après la dernière signature\u00a0: elles permettent à chaque partie de prouver qui a signé quoi, et quand`}
          </li>
        </ul>
      </div>
      <p className="small">
        <TextLink to="/confidentialite" target="_blank" rel="noopener" title="Ce qui est conservé, et pourquoi (nouvelle fenêtre)">
          Ce qui est conservé, et pourquoi
        </TextLink>
      </p>
    </>
  );
}
