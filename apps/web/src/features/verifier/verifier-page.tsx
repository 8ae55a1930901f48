import { useState } from "react";
import { bearsSignature } from "../../lib/bears-signature.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Card } from "../../ui/card/card.tsx";
import { Dropzone } from "../../ui/dropzone/dropzone.tsx";
import { TextField } from "../../ui/field/text-field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { PublicPage } from "../../ui/public-page/public-page.tsx";
import { verdictSentence } from "../../ui/verdict/verdict.tsx";
import { ReportCard } from "./report-card.tsx";
import { type FileKind, type TakenFile, withFiles } from "./sort-files.ts";
import { type Taken, takeFiles } from "./take-files.ts";
import { useCheck } from "./use-check.ts";
import styles from "./verifier-page.module.css";

const KINDS: Readonly<Record<FileKind, string>> = {
  proof: "Preuve",
  pdf: "Document",
  certificate: "Racine de confiance",
  keys: "Clés du cachet",
};
const COPY_NAME = "verifier.html";

/** `/verifier`, and the same page as a file of its own: a proof, its documents and a printed code, checked where they are. */
export function VerifierPage({ fragment, isFile }: { readonly fragment: string; readonly isFile: boolean }) {
  const [taken, setTaken] = useState<Taken>({ files: [], unknown: [], unread: [] });
  const { files } = taken;
  const [address, setAddress] = useState(fragment);
  const state = useCheck(files, address);
  const take = async (list: readonly File[]) => {
    const added = await takeFiles(list);
    setTaken((held) => ({ ...added, files: withFiles(held.files, added.files) }));
  };
  return (
    <PublicPage about="Vérification hors ligne" isNarrow isAlone={isFile}>
      <div className="stack stack--sm">
        <PageHeading title="Vérifier sans le service">Vérifier sans le service</PageHeading>
        <p className="lede">
          Déposez une preuve (preuve.json) et le PDF signé{"\u00a0"}: tout se calcule sur cet appareil. Rien n’est envoyé, à personne.
        </p>
      </div>
      <Card id="fichiers" title="Vos fichiers">
        <Dropzone
          multiple
          compact={files.length > 0}
          title="Déposez preuve.json, le PDF signé et, si vous l’avez, la racine (ca.pem) ou les clés du cachet (jwks.json)"
          hint={"Sans elles, rien n’est dit valide\u00a0: l’empreinte de la racine s’affiche, à comparer avec celle que publie le service."}
          accept=".json,.pdf,.pem,.crt,.cer,.der,application/json,application/pdf"
          onFiles={(list) => void take(list)}
        />
        <TakenFiles files={files} onRemove={(file) => setTaken({ ...taken, files: files.filter((other) => other !== file) })} />
        <LeftOut {...taken} />
        <Lacking files={files} />
        <AddressField value={address} onChange={setAddress} />
      </Card>
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
    </PublicPage>
  );
}

function LeftOut({ unknown, unread }: Pick<Taken, "unknown" | "unread">) {
  return (
    <>
      {unknown.length > 0 ? (
        <Alert tone="warning">
          N’a pas de part à la vérification{"\u00a0"}: {unknown.join(", ")}.
        </Alert>
      ) : null}
      {unread.length > 0 ? (
        <Alert tone="warning">
          N’a pas pu être lu, ou dépasse 100 Mo{"\u00a0"}: {unread.join(", ")}.
        </Alert>
      ) : null}
    </>
  );
}

/** What was given cannot be checked as it is: said at once, not by a silence. */
function Lacking({ files }: Pick<Taken, "files">) {
  const unsigned = files.filter(({ kind, bytes }) => kind === "pdf" && !bearsSignature(bytes)).map(({ name }) => name);
  const isProofMissing = files.length > 0 && files.every(({ kind }) => kind !== "proof");
  return (
    <>
      {isProofMissing ? (
        <Alert tone="info" title="Il manque la preuve (preuve.json)">
          Sans elle, rien ne se vérifie ici{"\u00a0"}: on la télécharge depuis la page de vérification du document, ou son dossier de preuve
          la contient.
        </Alert>
      ) : null}
      {unsigned.length > 0 ? (
        <Alert tone="warning" title="Sans signature électronique">
          {unsigned.join(", ")}
          {"\u00a0"}: une copie à imprimer, par exemple, n’est jamais le fichier signé.
        </Alert>
      ) : null}
    </>
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
  return (
    <>
      {/* There before what it tells: a region that comes with its words may stay silent. */}
      <p className="sr" role="status">
        {outcomeSaid(state)}
      </p>
      {state.step === "checking" ? (
        <p className="muted" aria-hidden="true">
          {CHECKING}
        </p>
      ) : null}
      {state.step === "done" ? <ReportCard report={state.report} /> : null}
      {state.step === "failed" ? <Alert tone="danger" title="La vérification n’a pas pu se faire sur cet appareil." /> : null}
    </>
  );
}

const CHECKING = "Vérification en cours…";

function outcomeSaid(state: ReturnType<typeof useCheck>): string {
  if (state.step === "checking") return CHECKING;
  return state.step === "done" ? verdictSentence({ verdict: state.report.verdict, reason: state.report.summary }) : "";
}
