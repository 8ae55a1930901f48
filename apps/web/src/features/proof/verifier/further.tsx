import { Button } from "../../../ui/button/button.tsx";
import { Dropzone } from "../../../ui/dropzone/dropzone.tsx";
import { TextField } from "../../../ui/field/text-field.tsx";
import { Fold } from "../../../ui/fold/fold.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import type { FileKind, TakenFile } from "./sort-files.ts";
import styles from "./verifier-page.module.css";

const KINDS: Readonly<Record<FileKind, string>> = {
  proof: "Preuve",
  pdf: "Document",
  certificate: "Racine de confiance",
  keys: "Clés du cachet",
  photo: "Photo",
};

type Props = {
  /** A copy that stands alone leads nowhere. */
  readonly isFile: boolean;
  readonly files: readonly TakenFile[];
  readonly address: string;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onRemove: (file: TakenFile) => void;
  readonly onAddress: (address: string) => void;
};

/** What an expert adds: files that he trusts, an address by hand; and what was given, to be taken back. */
export function Further({ isFile, files, address, onFiles, onRemove, onAddress }: Props) {
  return (
    <Fold id="plus-loin" title="Aller plus loin" hint="Fichiers de confiance, adresse du QR code" icon="key" isTool>
      <div className="stack stack--sm">
        <h3 className="h3">Fichiers de confiance</h3>
        <Dropzone
          multiple
          compact
          title="Racine (ca.pem) ou clés du cachet (jwks.json)"
          hint="Sans ces fichiers, comparez vous-même l’empreinte affichée avec celle que publie le service."
          accept=".json,.pem,.crt,.cer,.der,application/json"
          onFiles={onFiles}
        />
        <p className="muted small">
          Le service les publie dans sa{" "}
          {isFile ? "politique de certification" : <a href="/politique-de-certification">politique de certification</a>}.
        </p>
      </div>
      <TextField
        label="Adresse lue dans le QR code"
        optional
        help="Copiez l’adresse entière, y compris ce qui suit le #."
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        value={address}
        onChange={(event) => onAddress(event.target.value.trim())}
      />
      {files.length === 0 ? null : (
        <ul className={styles["files"]} aria-label="Fichiers donnés">
          {files.map((file) => (
            <li key={`${file.kind} ${file.name}`}>
              <span className={styles["file"]}>
                <span className="muted small">{KINDS[file.kind]}</span>
                <span>{file.name}</span>
              </span>
              <Button size="sm" aria-label={`Retirer ${file.name}`} onClick={() => onRemove(file)}>
                <Icon name="close" size="sm" />
                Retirer
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Fold>
  );
}
