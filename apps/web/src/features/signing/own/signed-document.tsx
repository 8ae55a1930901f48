import { useEffect, useRef, useState } from "react";
import { saveBlob } from "../../../lib/browser/save-blob.ts";
import { usePageTitle } from "../../../ui/page-heading/page-heading.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { SuccessStroke } from "../../../ui/success-stroke/success-stroke.tsx";
import styles from "./self-sign.module.css";
import { signedName } from "./use-self-sign.ts";

export type Signed = { readonly envelopeId: string; readonly file: Blob; readonly title: string };

export function SignedDocument({ signed, onAnother }: { signed: Signed; onAnother: () => void }) {
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
