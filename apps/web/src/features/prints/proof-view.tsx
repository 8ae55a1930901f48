import { type Proof, RAIL_BREAKPOINT_PX } from "@paraphe/contracts";
import { lazy, Suspense, useState } from "react";
import { formatInstant } from "../../lib/format-dates.ts";
import { plural } from "../../lib/format-numbers.ts";
import { useMediaQuery } from "../../lib/use-media-query.ts";
import { usePageTitle } from "../../lib/use-page-title.ts";
import { Badge } from "../../ui/badge/badge.tsx";
import { Button } from "../../ui/button/button.tsx";
import { buttonLook } from "../../ui/button/button-look.ts";
import { Icon } from "../../ui/icon/icon.tsx";
import { Seal } from "../../ui/seal/seal.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { CertificateCard } from "./certificate-card.tsx";
import { FingerprintsCard } from "./fingerprints-card.tsx";
import { documentAddress, saveProof } from "./proof-calls.ts";
import styles from "./proof-view.module.css";
import type { SignedFile } from "./signed-file.ts";
import { SignersCard } from "./signers-card.tsx";
import { VerdictBanner } from "./verdict-banner.tsx";

const PageQr = lazy(async () => ({ default: (await import("./page-qr.tsx")).PageQr }));
const SignedDocument = lazy(async () => ({ default: (await import("./signed-document.tsx")).SignedDocument }));
const SignedDocumentDialog = lazy(async () => ({ default: (await import("./signed-document-dialog.tsx")).SignedDocumentDialog }));

/** The proof, loaded: verdict, who signed, fingerprints, certificate, the document itself. */
export function ProofView({ uuid, sig, proof }: { uuid: string; sig: string; proof: Proof }) {
  const title = proof.title ?? "Document supprimé";
  usePageTitle(`Vérification\u00a0: ${title}`);
  // From 1024 px the document opens by itself (specification §2).
  const isWide = useMediaQuery(`(min-width: ${RAIL_BREAKPOINT_PX}px)`);
  const [isOpen, setIsOpen] = useState(false);
  const files = signedFiles(uuid, sig, proof);
  const signed = proof.signers.filter((signer) => signer.signed).length;
  return (
    <div className="stack stack--lg">
      <section className="card">
        <div className={`card__body ${styles.head}`}>
          <Seal state={sealState(proof)} />
          <div className="grow">
            <h1 className="h1" tabIndex={-1}>
              {title}
            </h1>
            <div className={styles.status}>
              {proof.purged ? (
                <Badge tone="cancelled">Supprimé</Badge>
              ) : (
                <Badge tone={proof.completed ? "completed" : "sent"}>{proof.completed ? "Terminé" : "En cours"}</Badge>
              )}
              <span className="ink2">
                {proof.completed && proof.completed_at
                  ? `Complété le ${formatInstant(proof.completed_at)}`
                  : proof.purged
                    ? null
                    : `${plural(signed, "signature")} sur ${proof.signers.length}`}
              </span>
            </div>
          </div>
          {/* On a phone one comes from the paper: a wide screen is where the code serves, to go on with the phone. */}
          {isWide ? (
            <div className={styles.qr}>
              <Suspense fallback={null}>
                <PageQr uuid={uuid} sig={sig} />
              </Suspense>
            </div>
          ) : null}
        </div>
        <VerdictBanner proof={proof} />
        <div className={`card__foot ${styles.actions}`}>
          <ProofDownload uuid={uuid} sig={sig} />
          {files[0] ? (
            <a className={buttonLook({})} href={files[0].address} target="_blank" rel="noreferrer">
              <Icon name="external" size="sm" />
              Ouvrir dans un nouvel onglet
            </a>
          ) : null}
          {files.length > 0 && !isWide ? (
            <Button onClick={() => setIsOpen(true)}>
              <Icon name="eye" size="sm" />
              Voir le document
            </Button>
          ) : null}
        </div>
      </section>
      <div className={styles.columns} data-viewer={isWide && files.length > 0}>
        <div className="stack stack--lg">
          {proof.purged ? null : <SignersCard signers={proof.signers} />}
          <FingerprintsCard proof={proof} />
          {proof.certificate ? <CertificateCard certificate={proof.certificate} level={proof.level} /> : null}
          <p className="muted small">{`Vérifiez que l’adresse affichée par votre navigateur est bien ${window.location.host}. Contrôle fait le ${formatInstant(proof.checked_at)}.`}</p>
        </div>
        {isWide && files.length > 0 ? (
          <Suspense fallback={null}>
            <SignedDocument files={files} />
          </Suspense>
        ) : null}
      </div>
      {isOpen ? (
        <Suspense fallback={null}>
          <SignedDocumentDialog files={files} onClose={() => setIsOpen(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

function signedFiles(uuid: string, sig: string, proof: Proof): readonly SignedFile[] {
  if (proof.purged) return [];
  const named = proof.documents.flatMap((document) =>
    document.document_url ? [{ name: document.name ?? "Document", address: document.document_url }] : [],
  );
  return named.length > 0 ? named : [{ name: proof.title ?? "Document", address: documentAddress(uuid, sig, proof.document_url) }];
}

/** The seal is green only when everything is: complete, whole, and nothing revoked nor unknown. */
function sealState(proof: Proof): "valid" | "waiting" | "failed" {
  if (proof.verdict === "invalid" || (!proof.integrity && !proof.purged && proof.verdict !== "indeterminate")) return "failed";
  return proof.verdict === "valid" && proof.completed ? "valid" : "waiting";
}

function ProofDownload({ uuid, sig }: { uuid: string; sig: string }) {
  const [isBusy, setIsBusy] = useState(false);
  const download = async () => {
    setIsBusy(true);
    try {
      await saveProof(uuid, sig);
    } catch {
      showToast("err", "Échec du téléchargement. Veuillez réessayer.");
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button variant="primary" loading={isBusy} onClick={() => void download()}>
      <Icon name="download" size="sm" />
      Télécharger la preuve
    </Button>
  );
}
