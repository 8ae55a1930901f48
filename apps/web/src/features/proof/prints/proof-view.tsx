import { type Proof, RAIL_BREAKPOINT_PX } from "@paraphe/contracts";
import { useContext, useEffect, useEffectEvent, useState } from "react";
import { formatInstant } from "../../../lib/format/format-dates.ts";
import { useMediaQuery } from "../../../lib/browser/use-media-query.ts";
import { usePageTitle } from "../../../ui/page-heading/page-heading.tsx";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { Card } from "../../../ui/card/card.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { Fold } from "../../../ui/fold/fold.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { lazyNear, PartsTurn } from "../../../ui/lazy-step/lazy-near.tsx";
import { lazyPart } from "../../../ui/lazy-step/lazy-step.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import { verdictSentence } from "../../../ui/verdict/verdict.tsx";
import { GlossaryLink } from "../glossary/glossary-link.tsx";
import { type PaperState, usePaperCheck } from "./check-paper.ts";
import { CERTIFICATE_CARD, FINGERPRINTS_CARD, LOG_CARD, PAPER_CARD } from "./card-parts.tsx";
import type { LogCheck } from "./log-card.tsx";
import { pageAddress } from "./proof-calls.ts";
import { type PagePlace, type SignedFile, signedFiles } from "./proof-files.ts";
import { ProofHead } from "./proof-head.tsx";
import { bandOf, shownVerdict } from "./shown-verdict.ts";
import { SignersCard } from "./signers-card.tsx";
import styles from "./proof-view.module.css";

const LONGEST_WAIT_MS = 5_000;
const LOOK_MS = 50;

/** Waits for all parts. `isWhole`: all of them load now. */
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
const PaperCard = lazyPart(
  async () => (await import("./paper-card.tsx")).PaperCard,
  <Waiting {...PAPER_CARD} />,
);
const PaperComparison = lazyPart(
  async () => (await import("./paper-card.tsx")).PaperComparison,
  <Lines waitsFor={PAPER_CARD.id} />,
);
const CertificateCard = lazyNear(
  async () => (await import("./certificate-card.tsx")).CertificateCard,
  <Waiting {...CERTIFICATE_CARD} isInner />,
);
const FingerprintsCard = lazyPart(
  async () => (await import("./fingerprints-card.tsx")).FingerprintsCard,
  <Waiting {...FINGERPRINTS_CARD} isInner />,
);
// Loaded at once: the verdict depends on it.
const LogCard = lazyPart(
  async () => (await import("./log-card.tsx")).LogCard,
  <Waiting {...LOG_CARD} isInner />,
);
const SignedDocument = lazyPart(
  async () => (await import("./signed-document.tsx")).SignedDocument,
  <div className={`card ${styles.waitingDocument}`} aria-hidden="true">
    <div className="card__head" />
  </div>,
);
const SignedDocumentDialog = lazyDialog(
  async () => (await import("./signed-document.tsx")).SignedDocumentDialog,
);

type ProofViewProps = {
  readonly uuid: string;
  readonly sig: string;
  readonly proof: Proof;
  /** The page code after `#`: never sent to the service. */
  readonly fragment?: string;
  /** The verdict's sentence, for screen readers. */
  readonly onSaid?: (sentence: string) => void;
};

/** Verdict, document, actions, signers, folds, viewer. */
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
  useSaid(verdictSentence(band), onSaid);
  const files = signedFiles(uuid, sig, proof);
  const isViewed = isWide && files.length > 0;
  const turn = isWhole || (isViewed && isViewerHere) ? "all" : isViewed ? "later" : "near";
  const link = { uuid, sig };
  return (
    <PartsTurn value={turn}>
      <div className={`stack stack--lg ${styles.page}`}>
        <ProofHead
          {...{ ...link, proof, shown, band, title }}
          onView={files.length > 0 && !isWide ? () => setOpened({ index: 0, page: 1 }) : undefined}
          qr={
            isWide || isWhole ? (
              <div className={styles.qr}>{turn === "later" ? null : <PageQr {...link} />}</div>
            ) : null
          }
        />
        <div className={styles.columns} data-viewer={isViewed}>
          <div className="stack stack--lg">
            <ProofCards {...{ ...link, proof, paper, files }} onOpen={setOpened} onLog={setLog} />
            <Foot
              {...link}
              checkedAt={proof.checked_at}
              address={isViewed ? undefined : files[0]?.address}
              onPrint={print}
            />
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

function useSaid(said: string, onSaid: ProofViewProps["onSaid"]): void {
  const notify = useEffectEvent((sentence: string) => {
    onSaid?.(sentence);
  });
  useEffect(() => notify(said), [said]);
}

type ProofCardsProps = Pick<ProofViewProps, "uuid" | "sig" | "proof"> & {
  readonly paper: PaperState;
  readonly files: readonly SignedFile[];
  readonly onOpen: (place: PagePlace) => void;
  readonly onLog: (check: LogCheck) => void;
};

/** A scanned page's result precedes them. */
function ProofCards({ uuid, sig, proof, paper, files, onOpen, onLog }: ProofCardsProps) {
  const isViewerFirst = useContext(PartsTurn) === "later";
  const comparison = { paper, proof, files, onOpen };
  const isScanned = paper.state !== "none";
  return (
    <>
      {proof.proof_only ? (
        <Alert tone="info" title="Document non montré">
          L’expéditeur a choisi de ne pas montrer le document ici. Comparez l’empreinte de votre
          exemplaire.
        </Alert>
      ) : null}
      {proof.purged || !isScanned ? null : <PaperCard {...comparison} />}
      {proof.purged ? null : <SignersCard proof={proof} />}
      <Fold
        id="details"
        title="Détails techniques"
        hint={"Certificat, horodatage, empreintes\u00a0: pour un expert ou un juge"}
        icon="shield"
      >
        {proof.certificate ? (
          <CertificateCard certificate={proof.certificate} {...{ proof, uuid, sig }} />
        ) : null}
        {isViewerFirst ? (
          <>
            <Waiting {...FINGERPRINTS_CARD} isInner />
            <Waiting {...LOG_CARD} isInner />
          </>
        ) : (
          <>
            <FingerprintsCard proof={proof} />
            <LogCard proof={proof} onFound={onLog} />
          </>
        )}
      </Fold>
      {proof.purged || isScanned ? null : (
        <Fold {...PAPER_CARD} hint="Page par page, sur grand écran" icon="file" isTool>
          {isViewerFirst ? <Lines waitsFor={PAPER_CARD.id} /> : <PaperComparison {...comparison} />}
        </Fold>
      )}
    </>
  );
}

type FootProps = {
  readonly uuid: string;
  readonly sig: string;
  readonly checkedAt: string;
  /** Absent where a viewer has its own link. */
  readonly address: string | undefined;
  readonly onPrint: () => void;
};

/** On paper, the page's whole address. */
function Foot({ uuid, sig, checkedAt, address, onPrint }: FootProps) {
  return (
    <div className="stack stack--sm">
      <p
        className={`small break ${styles.address}`}
      >{`Adresse de cette page\u00a0: ${pageAddress(uuid, sig)}`}</p>
      <p className="muted small">
        {`Vérifiez que l’adresse affichée par votre navigateur est bien ${window.location.host}. Contrôle fait le ${formatInstant(checkedAt)}. Les heures sont à l’heure de Paris.`}{" "}
        <GlossaryLink />
      </p>
      <div className={styles.tools}>
        <Button variant="ghost" size="sm" onClick={onPrint}>
          <Icon name="print" size="sm" />
          Imprimer cette page
        </Button>
        {address === undefined ? null : (
          <a
            className={buttonLook({ variant: "ghost", size: "sm" })}
            href={address}
            target="_blank"
            rel="noreferrer"
          >
            <Icon name="external" size="sm" />
            Ouvrir le document dans un nouvel onglet
          </a>
        )}
      </div>
    </div>
  );
}

function Waiting(card: {
  readonly id: string;
  readonly title: string;
  readonly isInner?: boolean;
}) {
  return (
    <Card {...card}>
      <Lines waitsFor={card.id} />
    </Card>
  );
}

function Lines({ waitsFor }: { readonly waitsFor: string }) {
  return (
    <div className={`stack ${styles.waiting}`} data-waiting={waitsFor}>
      <Skeleton width="82%" />
      <Skeleton width="46%" />
    </div>
  );
}
