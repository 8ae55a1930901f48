import { useState } from "react";
import { announce } from "../../../lib/browser/announce.ts";
import { saveBlob } from "../../../lib/browser/save-blob.ts";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "./factors.module.css";

type Props = { readonly codes: readonly string[]; readonly onClose: () => void };

/** Shown once: nothing closes it before the box is ticked. */
export function CodesDialog({ codes, onClose }: Props) {
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
