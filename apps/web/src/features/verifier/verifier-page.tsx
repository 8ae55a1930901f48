import { useState } from "react";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Dropzone } from "../../ui/dropzone/dropzone.tsx";
import { TextField } from "../../ui/field/text-field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { ReportCard } from "./report-card.tsx";
import { type FileKind, kindOf, type TakenFile, withFiles } from "./sort-files.ts";
import { useCheck } from "./use-check.ts";
import styles from "./verifier-page.module.css";

const KINDS: Readonly<Record<FileKind, string>> = { proof: "Preuve", pdf: "Document", certificate: "Racine de confiance" };
const COPY_NAME = "verifier.html";

/** `/verifier`, and the same page as a file of its own: a proof, its documents and a printed code, checked where they are. */
export function VerifierPage({ fragment, isFile }: { readonly fragment: string; readonly isFile: boolean }) {
  const [files, setFiles] = useState<readonly TakenFile[]>([]);
  const [unknown, setUnknown] = useState<readonly string[]>([]);
  const [address, setAddress] = useState(fragment);
  const state = useCheck(files, address);
  const take = async (list: readonly File[]) => {
    const read = await Promise.all(list.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
    const known = read.flatMap(({ name, bytes }) => {
      const kind = kindOf(bytes);
      return kind === null ? [] : [{ kind, name, bytes }];
    });
    setUnknown(read.filter(({ bytes }) => kindOf(bytes) === null).map(({ name }) => name));
    setFiles((held) => withFiles(held, known));
  };
  return (
    <div className={`stack stack--lg ${styles["page"]}`}>
      <div className="stack stack--sm">
        <PageHeading title="Vérifier sans le service">Vérifier sans le service</PageHeading>
        <p className="lede">
          Déposez une preuve (preuve.json) et le PDF signé{"\u00a0"}: tout se calcule sur cet appareil. Rien n’est envoyé, à personne.
        </p>
      </div>
      <section className="card" aria-labelledby="fichiers">
        <div className="card__head">
          <h2 className="h2" id="fichiers">
            Vos fichiers
          </h2>
        </div>
        <div className="card__body stack">
          <Dropzone
            multiple
            compact={files.length > 0}
            title="Déposez preuve.json, le PDF signé et, si vous l’avez, la racine (ca.pem)"
            hint={"Sans la racine, rien n’est dit valide\u00a0: son empreinte s’affiche, à comparer avec celle que publie le service."}
            accept=".json,.pdf,.pem,.crt,.cer,.der,application/json,application/pdf"
            onFiles={(list) => void take(list)}
          />
          <TakenFiles files={files} onRemove={(file) => setFiles(files.filter((other) => other !== file))} />
          {unknown.length > 0 ? (
            <Alert tone="warning">
              N’a pas de part à la vérification{"\u00a0"}: {unknown.join(", ")}.
            </Alert>
          ) : null}
          <AddressField value={address} onChange={setAddress} />
        </div>
      </section>
      <Outcome state={state} />
      {isFile ? null : (
        <p className="muted small">
          <a href={`/${COPY_NAME}`} download={COPY_NAME}>
            Garder cette page ({COPY_NAME})
          </a>
          {"\u00a0"}: un seul fichier, qui s’ouvre sans réseau et vérifiera encore quand ce service ne sera plus là. La racine est publiée
          par la <a href="/politique-de-certification">politique de certification</a>.
        </p>
      )}
    </div>
  );
}

function TakenFiles({ files, onRemove }: { readonly files: readonly TakenFile[]; readonly onRemove: (file: TakenFile) => void }) {
  if (files.length === 0) return null;
  return (
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
  );
}

function AddressField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <TextField
      label="Adresse lue dans le QR code d’une page imprimée"
      optional
      help="En entier, avec ce qui suit le signe #, que le service a signé."
      inputMode="url"
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value.trim())}
    />
  );
}

function Outcome({ state }: { readonly state: ReturnType<typeof useCheck> }) {
  if (state.step === "none") return null;
  if (state.step === "done") return <ReportCard report={state.report} />;
  if (state.step === "failed") return <Alert tone="danger" title="La vérification n’a pas pu se faire sur cet appareil." />;
  return (
    <p className="muted" role="status">
      Vérification en cours…
    </p>
  );
}
