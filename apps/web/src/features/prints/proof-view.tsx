import { type Proof, RAIL_BREAKPOINT_PX } from "@paraphe/contracts";
import { useState } from "react";
import { formatInstant } from "../../lib/format-dates.ts";
import { plural } from "../../lib/format-numbers.ts";
import { useMediaQuery } from "../../lib/use-media-query.ts";
import { usePageTitle } from "../../lib/use-page-title.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Badge } from "../../ui/badge/badge.tsx";
import { Button } from "../../ui/button/button.tsx";
import { buttonLook } from "../../ui/button/button-look.ts";
import { lazyDialog } from "../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { lazyPart } from "../../ui/lazy-step/lazy-step.tsx";
import { Seal } from "../../ui/seal/seal.tsx";
import { Skeleton } from "../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { CertificateCard } from "./certificate-card.tsx";
import { FingerprintsCard } from "./fingerprints-card.tsx";
import type { PagePlace } from "./paper-card.tsx";
import { documentAddress, saveProof } from "./proof-calls.ts";
import styles from "./proof-view.module.css";
import { revocationWord } from "./revocation-word.ts";
import type { SignedFile } from "./signed-file.ts";
import { SignersCard } from "./signers-card.tsx";
import { VerdictBanner } from "./verdict-banner.tsx";

const PageQr = lazyPart(async () => (await import("./page-qr.tsx")).PageQr, null);
// The verdict and what it rests on come first; these are asked for once the page stands.
const PaperCard = lazyPart(async () => (await import("./paper-card.tsx")).PaperCard, <Waiting />);
const LogCard = lazyPart(async () => (await import("./log-card.tsx")).LogCard, <Waiting />);
const SignedDocument = lazyPart(async () => (await import("./signed-document.tsx")).SignedDocument, null);
const SignedDocumentDialog = lazyDialog(async () => (await import("./signed-document-dialog.tsx")).SignedDocumentDialog);

type ProofViewProps = {
  readonly uuid: string;
  readonly sig: string;
  readonly proof: Proof;
  /** The address's fragment, without its `#`: what a printed page's code says of it. It never reaches the service. */
  readonly fragment?: string;
};

/** The proof, loaded: verdict, who signed, fingerprints, certificate, the document itself. */
export function ProofView({ uuid, sig, proof, fragment = "" }: ProofViewProps) {
  const title = proof.title ?? "Document supprimé";
  usePageTitle(`Vérification\u00a0: ${title}`);
  // From 1024 px the document opens by itself (specification §2).
  const isWide = useMediaQuery(`(min-width: ${RAIL_BREAKPOINT_PX}px)`);
  const [opened, setOpened] = useState<PagePlace | null>(null);
  const files = signedFiles(uuid, sig, proof);
  const signed = proof.signers.filter((signer) => signer.signed).length;
  // What the code says of the paper comes first; without a code the comparison is a tool among others.
  const paper = proof.purged ? null : <PaperCard {...{ uuid, proof, files, fragment }} onOpen={setOpened} />;
  return (
    <div className={`stack stack--lg ${styles.page}`}>
      <section className="card">
        <div className={`card__body ${styles.head}`}>
          <Seal state={sealState(proof)} />
          <div className="grow">
            <h1 className="h1" tabIndex={-1}>
              {title}
            </h1>
            <div className={styles.status}>
              <StatusBadge proof={proof} />
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
              <PageQr uuid={uuid} sig={sig} />
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
            <Button onClick={() => setOpened({ index: 0, page: 1 })}>
              <Icon name="eye" size="sm" />
              Voir le document
            </Button>
          ) : null}
          <Button onClick={() => window.print()}>
            <Icon name="print" size="sm" />
            Imprimer cette page
          </Button>
        </div>
      </section>
      <div className={styles.columns} data-viewer={isWide && files.length > 0}>
        <div className={`stack stack--lg ${styles.facts}`}>
          {proof.proof_only ? (
            <Alert tone="info" title="Preuve seule">
              L’expéditeur a choisi de ne pas montrer le document ici. Comparez l’empreinte de votre exemplaire.
            </Alert>
          ) : null}
          {fragment === "" ? null : paper}
          {proof.purged ? null : <SignersCard signers={proof.signers} />}
          <FingerprintsCard proof={proof} />
          {fragment === "" ? paper : null}
          {proof.certificate ? <CertificateCard certificate={proof.certificate} level={proof.level} /> : null}
          <LogCard proof={proof} />
          <p className="muted small">{`Vérifiez que l’adresse affichée par votre navigateur est bien ${window.location.host}. Contrôle fait le ${formatInstant(proof.checked_at)}.`}</p>
        </div>
        {isWide && files.length > 0 ? <SignedDocument files={files} /> : null}
      </div>
      {opened === null ? null : <SignedDocumentDialog files={files} start={opened} onClose={() => setOpened(null)} />}
    </div>
  );
}

/** Keeps a card's place. */
function Waiting() {
  return (
    <div className="card card__body stack" aria-hidden="true">
      <Skeleton width="46%" height={20} />
      <Skeleton width="82%" />
    </div>
  );
}

function signedFiles(uuid: string, sig: string, proof: Proof): readonly SignedFile[] {
  // Nothing is shown of what its owner took back, or keeps to themselves, whatever address could be built.
  if (proof.purged || proof.cancelled || proof.proof_only) return [];
  const named = proof.documents.flatMap(({ name, document_url, hash_sha256, page_count }) =>
    document_url ? [{ name: name ?? "Document", address: document_url, hash: hash_sha256, pageCount: page_count }] : [],
  );
  if (named.length > 0) return named;
  const address = documentAddress(uuid, sig, proof.document_url);
  return [{ name: proof.title ?? "Document", address, hash: proof.hash_sha256, pageCount: proof.documents[0]?.page_count ?? null }];
}

/** The seal is green only when everything is: complete, whole, and nothing revoked nor unknown. */
function sealState(proof: Proof): "valid" | "waiting" | "failed" {
  if (proof.verdict === "invalid" || (!proof.integrity && !proof.purged && proof.verdict !== "indeterminate")) return "failed";
  return proof.verdict === "valid" && proof.completed && !isRevocationDoubtful(proof.certificate) ? "valid" : "waiting";
}

/** An answer that was not given doubts nothing: the one that was speaks. */
function isRevocationDoubtful(certificate: Proof["certificate"]): boolean {
  if (certificate === null) return false;
  const { ocsp_status, crl_status } = certificate.revocation;
  return [revocationWord(ocsp_status, "ocsp"), revocationWord(crl_status, "crl")].some(
    ({ tone, word }) => tone === "bad" || word === "Inconnu",
  );
}

function StatusBadge({ proof }: { proof: Proof }) {
  if (proof.purged) return <Badge tone="cancelled">Supprimé</Badge>;
  if (proof.cancelled) return <Badge tone="cancelled">Annulé</Badge>;
  return <Badge tone={proof.completed ? "completed" : "sent"}>{proof.completed ? "Terminé" : "En cours"}</Badge>;
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
