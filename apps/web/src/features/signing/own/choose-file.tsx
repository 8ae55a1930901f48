import { useState } from "react";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Dropzone } from "../../../ui/dropzone/dropzone.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { EditorBar } from "../../../ui/editor-frame/editor-bar.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { checkFile } from "../../envelopes/prepare/check-file.ts";

/** A file that was not taken, and why. */
export type Refusal = { readonly name: string; readonly reason: string };
type ChooseFileProps = { readonly refusal: Refusal | null; readonly onFile: (file: File) => void };

/** The first gesture: one PDF, by drop or by choice. What is refused is said in its place, until another file is chosen. */
export function ChooseFile({ refusal, onFile }: ChooseFileProps) {
  const [own, setOwn] = useState<Refusal | null>(null);
  const shown = own ?? refusal;
  const take = (files: readonly File[]) => {
    const [file] = files;
    if (!file) return;
    const reason = checkFile(file);
    if (reason === null) onFile(file);
    else setOwn({ name: file.name, reason });
  };
  return (
    <>
      <EditorBar
        label="Auto-signature"
        leave={
          <LinkButton to="/dashboard" variant="ghost" square aria-label="Quitter">
            <Icon name="close" />
          </LinkButton>
        }
        title="Auto-signature"
        note={<small>Aucun fichier choisi</small>}
        buttons={null}
      />
      <main className="main main--form" id="contenu">
        <div className="page-head">
          <div>
            <PageHeading title="Auto-signature">Auto-signature</PageHeading>
            <p className="lede">Déposez un PDF, posez votre signature, téléchargez. Rien n’est envoyé.</p>
          </div>
        </div>
        <div className="stack">
          {shown ? (
            <Alert tone="danger">
              <div>
                <b className="break">{shown.name}</b>
                <br />
                {shown.reason}
              </div>
            </Alert>
          ) : null}
          <Dropzone
            title="Déposez votre PDF ici"
            overTitle="Relâchez pour l’ouvrir"
            hint={"PDF uniquement, 10\u00a0Mo au maximum."}
            accept="application/pdf,.pdf"
            onFiles={take}
          />
        </div>
      </main>
    </>
  );
}
