import { useState, useEffect, useRef } from "react";
import { Alert } from "../../../ui/alert/alert.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { Dropzone } from "../../../ui/dropzone/dropzone.tsx";
import { EditorBar } from "../../../ui/editor-frame/step-bar.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { lazyStep } from "../../../ui/lazy-step/lazy-step.tsx";
import { PageHeading, usePageTitle } from "../../../ui/page-heading/page-heading.tsx";
import { LeaveGuard } from "../../accounts/settings/leave-guard.tsx";
import { checkFile } from "../../envelopes/prepare/documents/use-uploads.ts";
import { type Signed, signedName } from "./use-self-sign.ts";
import { saveBlob } from "../../../lib/browser/save-blob.ts";
import { Button } from "../../../ui/button/button.tsx";
import { SuccessStroke } from "../../../ui/success-stroke/success-stroke.tsx";
import styles from "./self-sign.module.css";

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

function SignedDocument({ signed, onAnother }: { signed: Signed; onAnother: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [again, setAgain] = useState(0);
  usePageTitle("Document signé");
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <main className="main main--form" id="contenu">
      <div className={`card card__body ${styles.success}`}>
        <SuccessStroke />
        <h1 className="h1" ref={heading} tabIndex={-1}>
          Document signé
        </h1>
        <p className="ink2">
          Le téléchargement a commencé. Le document est aussi dans vos enveloppes complétées.
        </p>
        <div className={styles.actions}>
          <Button
            variant="primary"
            size="lg"
            onClick={() => {
              saveBlob(signed.file, signedName(signed.title));
              setAgain(again + 1);
            }}
          >
            <Icon name="download" size="sm" />
            Télécharger à nouveau
          </Button>
          <Button size="lg" onClick={onAnother}>
            Signer un autre document
          </Button>
        </div>
        <LinkButton variant="ghost" to={`/signature/detail/${signed.envelopeId}`}>
          Voir le document signé et sa preuve
        </LinkButton>
        <span className="sr" role="status">
          {again > 0 ? "Le téléchargement a recommencé." : ""}
        </span>
      </div>
    </main>
  );
}
