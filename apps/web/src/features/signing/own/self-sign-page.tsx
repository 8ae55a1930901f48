import { useState } from "react";
import { Alert } from "../../../ui/alert/alert.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { Dropzone } from "../../../ui/dropzone/dropzone.tsx";
import { EditorBar } from "../../../ui/editor-frame/step-bar.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { lazyStep } from "../../../ui/lazy-step/lazy-step.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { LeaveGuard } from "../../accounts/settings/leave-guard.tsx";
import { checkFile } from "../../envelopes/prepare/documents/use-uploads.ts";
import { type Signed, SignedDocument } from "./signed-document.tsx";

export type Refusal = { readonly name: string; readonly reason: string };
type ChooseFileProps = { readonly refusal: Refusal | null; readonly onFile: (file: File) => void };

/** A refusal stays until another file is chosen. */
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
            <p className="lede">
              Déposez un PDF, posez votre signature, téléchargez. Rien n’est envoyé.
            </p>
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

/** Loaded once a file is chosen. */
const PlaceSignature = lazyStep(
  async () => (await import("./place-signature.tsx")).PlaceSignature,
  "Ouverture du document",
);

type Stage =
  | { readonly kind: "choose"; readonly refusal: Refusal | null }
  | { readonly kind: "place"; readonly file: File }
  | { readonly kind: "signed"; readonly signed: Signed };

const START: Stage = { kind: "choose", refusal: null };

export function SelfSignPage() {
  const [stage, setStage] = useState<Stage>(START);
  return (
    <>
      <LeaveGuard
        dirty={stage.kind === "place"}
        title={"Quitter sans signer\u202f?"}
        message="Le document ne sera pas conservé."
      />
      {stage.kind === "choose" ? (
        <ChooseFile refusal={stage.refusal} onFile={(file) => setStage({ kind: "place", file })} />
      ) : null}
      {stage.kind === "place" ? (
        <PlaceSignature
          file={stage.file}
          onLeave={() => setStage(START)}
          onRefused={(reason) =>
            setStage({ kind: "choose", refusal: { name: stage.file.name, reason } })
          }
          onSigned={(signed) => setStage({ kind: "signed", signed })}
        />
      ) : null}
      {stage.kind === "signed" ? (
        <SignedDocument signed={stage.signed} onAnother={() => setStage(START)} />
      ) : null}
    </>
  );
}
