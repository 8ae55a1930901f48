import { type Proof, RAIL_BREAKPOINT_PX } from "@paraphe/contracts";
import { useEffect, useEffectEvent, useState } from "react";
import { formatInstant } from "../../../lib/format-dates.ts";
import { useMediaQuery } from "../../../lib/use-media-query.ts";
import { usePageTitle } from "../../../lib/use-page-title.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Card } from "../../../ui/card/card.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { Fold } from "../../../ui/fold/fold.tsx";
import { lazyNear, PartsTurn } from "../../../ui/lazy-step/lazy-near.tsx";
import { lazyPart } from "../../../ui/lazy-step/lazy-step.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import { verdictSentence } from "../../../ui/verdict/verdict.tsx";
import { GlossaryLink } from "../glossary/glossary-link.tsx";
import { CERTIFICATE_CARD, LOG_CARD, pageAddress, PAPER_CARD } from "./card-names.ts";
import type { LogCheck } from "./check-log.ts";
import { FingerprintsCard } from "./fingerprints-card.tsx";
import { ProofHead } from "./proof-head.tsx";
import { bandOf, shownVerdict } from "./shown-verdict.ts";
import { type PagePlace, signedFiles } from "./signed-files.ts";
import { SignersCard } from "./signers-card.tsx";
import { usePaperCheck } from "./use-paper-check.ts";
import styles from "./proof-view.module.css";

const LONGEST_WAIT_MS = 5_000;
const LOOK_MS = 50;

/** Prints the page once all its parts are there: whoever prints has not always gone down to them. `isWhole`: they are all wanted now. */
function useWholePrint(): { readonly isWhole: boolean; readonly print: () => void } {
  const [isWhole, setIsWhole] = useState(false);
  const print = () => {
    setIsWhole(true);
    void whenWhole().then(() => window.print());
  };
  return { isWhole, print };
}

async function whenWhole(): Promise<void> {
  const end = performance.now() + LONGEST_WAIT_MS;
  do await new Promise((done) => setTimeout(done, LOOK_MS));
  while (document.querySelector("[data-waiting]") !== null && performance.now() < end);
}

const PageQr = lazyPart(async () => (await import("./page-qr.tsx")).PageQr, <span data-waiting />);
const loadPaperCard = async () => (await import("./paper-card.tsx")).PaperCard;
// What the code of a page says of it comes at once; without a code the comparison is a tool among others.
const PaperSaid = lazyPart(loadPaperCard, <Waiting {...PAPER_CARD} />);
const PaperTool = lazyNear(loadPaperCard, <Waiting {...PAPER_CARD} />);
const CertificateCard = lazyNear(
  async () => (await import("./certificate-card.tsx")).CertificateCard,
  <Waiting {...CERTIFICATE_CARD} isInner />,
);
// What it finds decides of the verdict: it is asked for wherever the reader is.
const LogCard = lazyPart(
  async () => (await import("./log-card.tsx")).LogCard,
  <Waiting {...LOG_CARD} isInner />,
);
const SignedDocument = lazyPart(
  async () => (await import("./signed-document.tsx")).SignedDocument,
  null,
);
const SignedDocumentDialog = lazyDialog(
  async () => (await import("./signed-document-dialog.tsx")).SignedDocumentDialog,
);

type ProofViewProps = {
  readonly uuid: string;
  readonly sig: string;
  readonly proof: Proof;
  /** The address's fragment, without its `#`: what a printed page's code says of it. It never reaches the service. */
  readonly fragment?: string;
  /** Told what the page says on top, as it is read aloud. */
  readonly onSaid?: (sentence: string) => void;
};

/** The proof, loaded: verdict, who signed, fingerprints, certificate, the document itself. */
export function ProofView({ uuid, sig, proof, fragment = "", onSaid }: ProofViewProps) {
  const title = proof.title ?? "Document supprimé";
  usePageTitle(`Vérification\u00a0: ${title}`);
  // From 1024 px the document opens by itself (specification §2).
  const isWide = useMediaQuery(`(min-width: ${RAIL_BREAKPOINT_PX}px)`);
  const [opened, setOpened] = useState<PagePlace | null>(null);
  const [log, setLog] = useState<LogCheck | null>(null);
  const [isViewerHere, setIsViewerHere] = useState(false);
  const { isWhole, print } = useWholePrint();
  const paper = usePaperCheck(uuid, fragment, proof);
  const shown = shownVerdict(proof, { paper, log });
  const band = bandOf(proof, shown);
  const said = verdictSentence(band);
  const tell = useEffectEvent((sentence: string) => onSaid?.(sentence));
  useEffect(() => {
    tell(said);
  }, [said]);
  const files = signedFiles(uuid, sig, proof);
  const isViewed = isWide && files.length > 0;
  const turn = isWhole || (isViewed && isViewerHere) ? "all" : isViewed ? "held" : "near";
  const held = { paper, proof, files, onOpen: setOpened };
  return (
    <PartsTurn value={turn}>
      <div className={`stack stack--lg ${styles.page}`}>
        <ProofHead
          {...{ uuid, sig, proof, shown, band, title }}
          address={isViewed ? undefined : files[0]?.address}
          onPrint={print}
          onView={files.length > 0 && !isWide ? () => setOpened({ index: 0, page: 1 }) : undefined}
          // On a phone one comes from the paper: a wide screen is where the code serves, to go on with the phone; a printed page bears it too. The
          // document comes before it.
          qr={
            isWide || isWhole ? (
              <div className={styles.qr}>
                {turn === "held" ? null : <PageQr uuid={uuid} sig={sig} />}
              </div>
            ) : null
          }
        />
        <div className={styles.columns} data-viewer={isViewed}>
          <div className="stack stack--lg">
            {proof.proof_only ? (
              <Alert tone="info" title="Document non montré">
                L’expéditeur a choisi de ne pas montrer le document ici. Comparez l’empreinte de
                votre exemplaire.
              </Alert>
            ) : null}
            {proof.purged || fragment === "" ? null : <PaperSaid {...held} />}
            {proof.purged ? null : <SignersCard proof={proof} />}
            {proof.purged || fragment !== "" ? null : <PaperTool {...held} />}
            <Fold
              id="details"
              title="Détails techniques"
              hint={"Certificat, horodatage, empreintes\u00a0: pour un expert ou un juge"}
              icon="shield"
            >
              {proof.certificate ? (
                <CertificateCard certificate={proof.certificate} {...{ proof, uuid, sig }} />
              ) : null}
              <FingerprintsCard proof={proof} />
              {turn === "held" ? (
                <Waiting {...LOG_CARD} isInner />
              ) : (
                <LogCard proof={proof} onFound={setLog} />
              )}
            </Fold>
            <Foot uuid={uuid} sig={sig} checkedAt={proof.checked_at} />
          </div>
          {isViewed ? <SignedDocument files={files} onHere={() => setIsViewerHere(true)} /> : null}
        </div>
        {opened === null ? null : (
          <SignedDocumentDialog files={files} start={opened} onClose={() => setOpened(null)} />
        )}
      </div>
    </PartsTurn>
  );
}

type FootProps = { readonly uuid: string; readonly sig: string; readonly checkedAt: string };

/** Where this page is to be read, and what its words mean; on paper, its whole address. */
function Foot({ uuid, sig, checkedAt }: FootProps) {
  return (
    <div className="stack stack--sm">
      <p
        className={`small break ${styles.address}`}
      >{`Adresse de cette page\u00a0: ${pageAddress(uuid, sig)}`}</p>
      <p className="muted small">
        {`Vérifiez que l’adresse affichée par votre navigateur est bien ${window.location.host}. Contrôle fait le ${formatInstant(checkedAt)}. Les heures sont à l’heure de Paris.`}{" "}
        <GlossaryLink />
      </p>
    </div>
  );
}

/** Keeps a card's place, with its heading. */
function Waiting(card: {
  readonly id: string;
  readonly title: string;
  readonly isInner?: boolean;
}) {
  return (
    <Card {...card}>
      <div className={`stack ${styles.waiting}`} data-waiting={card.id}>
        <Skeleton width="82%" />
        <Skeleton width="46%" />
      </div>
    </Card>
  );
}
