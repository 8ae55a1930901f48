import { type Proof, RAIL_BREAKPOINT_PX } from "@paraphe/contracts";
import { useState } from "react";
import { formatInstant } from "../../lib/format-dates.ts";
import { useMediaQuery } from "../../lib/use-media-query.ts";
import { usePageTitle } from "../../lib/use-page-title.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Card } from "../../ui/card/card.tsx";
import { lazyDialog } from "../../ui/dialog/lazy-dialog.tsx";
import { lazyNear, PartsTurn } from "../../ui/lazy-step/lazy-near.tsx";
import { lazyPart } from "../../ui/lazy-step/lazy-step.tsx";
import { Skeleton } from "../../ui/skeleton/skeleton.tsx";
import { CERTIFICATE_CARD, LOG_CARD, PAPER_CARD } from "./card-names.ts";
import { FingerprintsCard } from "./fingerprints-card.tsx";
import { ProofHead } from "./proof-head.tsx";
import styles from "./proof-view.module.css";
import type { PagePlace } from "./signed-file.ts";
import { signedFiles } from "./signed-files.ts";
import { SignersCard } from "./signers-card.tsx";
import { useWholePrint } from "./use-whole-print.ts";

const PageQr = lazyPart(async () => (await import("./page-qr.tsx")).PageQr, null);
const loadPaperCard = async () => (await import("./paper-card.tsx")).PaperCard;
// What the code of a page says of it comes at once; without a code the comparison is a tool among others.
const PaperSaid = lazyPart(loadPaperCard, <Waiting {...PAPER_CARD} />);
const PaperTool = lazyNear(loadPaperCard, <Waiting {...PAPER_CARD} />);
const CertificateCard = lazyNear(async () => (await import("./certificate-card.tsx")).CertificateCard, <Waiting {...CERTIFICATE_CARD} />);
const LogCard = lazyNear(async () => (await import("./log-card.tsx")).LogCard, <Waiting {...LOG_CARD} />);
const SignedDocument = lazyPart(async () => (await import("./signed-document.tsx")).SignedDocument, null);
const SignedDocumentDialog = lazyDialog(async () => (await import("./signed-document-dialog.tsx")).SignedDocumentDialog);

/** What this browser found itself counts more than what the service says of itself. */
const LOG_BROKEN = "Le journal public ne porte pas ce que le service en dit. Ne vous fiez pas à ce document.";

type ProofViewProps = {
  readonly uuid: string;
  readonly sig: string;
  readonly proof: Proof;
  /** The address's fragment, without its `#`: what a printed page's code says of it. It never reaches the service. */
  readonly fragment?: string;
};

/** The proof, loaded: verdict, who signed, fingerprints, certificate, the document itself. */
export function ProofView({ uuid, sig, proof: given, fragment = "" }: ProofViewProps) {
  const title = given.title ?? "Document supprimé";
  usePageTitle(`Vérification\u00a0: ${title}`);
  // From 1024 px the document opens by itself (specification §2).
  const isWide = useMediaQuery(`(min-width: ${RAIL_BREAKPOINT_PX}px)`);
  const [opened, setOpened] = useState<PagePlace | null>(null);
  const [isLogBroken, setIsLogBroken] = useState(false);
  const [isViewerHere, setIsViewerHere] = useState(false);
  const { isWhole, print } = useWholePrint();
  const proof: Proof = isLogBroken ? { ...given, verdict: "invalid", reason: LOG_BROKEN } : given;
  const files = signedFiles(uuid, sig, given);
  const isViewed = isWide && files.length > 0;
  const turn = isWhole || (isViewed && isViewerHere) ? "all" : isViewed ? "held" : "near";
  const paper = { uuid, proof, files, fragment, onOpen: setOpened };
  return (
    <PartsTurn value={turn}>
      <div className={`stack stack--lg ${styles.page}`}>
        <ProofHead
          {...{ uuid, sig, proof, title }}
          address={files[0]?.address}
          onPrint={print}
          onView={files.length > 0 && !isWide ? () => setOpened({ index: 0, page: 1 }) : undefined}
          // On a phone one comes from the paper: a wide screen is where the code serves, to go on with the phone. The document comes before it.
          qr={isWide ? <div className={styles.qr}>{isViewed && !isViewerHere ? null : <PageQr uuid={uuid} sig={sig} />}</div> : null}
        />
        <div className={styles.columns} data-viewer={isViewed}>
          <div className={`stack stack--lg ${styles.facts}`}>
            {proof.proof_only ? (
              <Alert tone="info" title="Preuve seule">
                L’expéditeur a choisi de ne pas montrer le document ici. Comparez l’empreinte de votre exemplaire.
              </Alert>
            ) : null}
            {proof.purged || fragment === "" ? null : <PaperSaid {...paper} />}
            {proof.purged ? null : <SignersCard proof={proof} />}
            <FingerprintsCard proof={proof} />
            {proof.purged || fragment !== "" ? null : <PaperTool {...paper} />}
            {proof.certificate ? <CertificateCard certificate={proof.certificate} level={proof.level} /> : null}
            <LogCard proof={proof} onBroken={() => setIsLogBroken(true)} />
            <p className="muted small">{`Vérifiez que l’adresse affichée par votre navigateur est bien ${window.location.host}. Contrôle fait le ${formatInstant(proof.checked_at)}.`}</p>
          </div>
          {isViewed ? <SignedDocument files={files} onHere={() => setIsViewerHere(true)} /> : null}
        </div>
        {opened === null ? null : <SignedDocumentDialog files={files} start={opened} onClose={() => setOpened(null)} />}
      </div>
    </PartsTurn>
  );
}

/** Keeps a card's place, with its heading. */
function Waiting({ id, title }: { readonly id: string; readonly title: string }) {
  return (
    <Card id={id} title={title}>
      <div className="stack" data-waiting>
        <Skeleton width="82%" />
        <Skeleton width="46%" />
      </div>
    </Card>
  );
}
