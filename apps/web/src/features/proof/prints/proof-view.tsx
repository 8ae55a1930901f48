import { type Proof, RAIL_BREAKPOINT_PX, type ReachShown, reachInWords } from "@paraphe/contracts";
import { useContext, useEffect, useEffectEvent, useState, type ReactNode } from "react";
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
import { verdictSentence, Verdict } from "../../../ui/verdict/verdict.tsx";
import { GlossaryLink } from "../glossary/glossary-button.tsx";
import { type PaperState, usePaperCheck } from "./check-paper.ts";
import { CERTIFICATE_CARD, FINGERPRINTS_CARD, LOG_CARD, PAPER_CARD, Tick } from "./card-parts.tsx";
import type { LogCheck } from "./log-card.tsx";
import { pageAddress, saveProof } from "./proof-calls.ts";
import {
  type PagePlace,
  type SignedFile,
  signedFiles,
  comparedDocuments,
  compareTitle,
} from "./proof-files.ts";
import {
  bandOf,
  shownVerdict,
  type Band,
  describePurge,
  type ShownVerdict,
} from "./shown-verdict.ts";
import { Avatar } from "../../../ui/avatar/avatar.tsx";
import { callMessage } from "../../../lib/api/api-error.ts";
import { exactlySigned } from "../../../lib/format/format-validity.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Badge } from "../../../ui/badge/badge.tsx";
import { type MeaningLine, MeaningList } from "../../../ui/meaning-list/meaning-list.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import styles from "./proof-view.module.css";
import proofCardsStyles from "./proof-cards.module.css";

const LONGEST_WAIT_MS = 5_000;
const LOOK_MS = 50;

/** Prints once all parts are there; `isWhole` loads them all now. */
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
  readonly onSaid?: (sentence: string) => void;
};

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

/** A scanned page's result stands before the cards. */
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

/** Shows the page's whole address on paper. */
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

function SignersCard({ proof }: { proof: Proof }) {
  return (
    <Card id="signataires" title="Signataires">
      <ul className={proofCardsStyles.signers}>
        {proof.signers.map((signer, index) => (
          <li key={index}>
            <Avatar name={signerOf(signer.full_name)} color={index + 1} />
            <div className="grow">
              <b className="break">{signer.full_name}</b>
              {signer.reach === undefined ? null : <Reached reach={signer.reach} />}
            </div>
            {signer.signed ? (
              <span className={proofCardsStyles.signed}>
                <span className={proofCardsStyles.tick} data-tone="good">
                  <Icon name="check" size="sm" />
                  Signé
                </span>
                <small className="num">
                  {signer.signed_at ? formatInstant(signer.signed_at) : "Non communiqué"}
                </small>
              </span>
            ) : (
              <Unsigned proof={proof} />
            )}
          </li>
        ))}
        {proof.visas?.map(({ full_name, given_at }) => (
          <li key={given_at}>
            <Avatar name={signerOf(full_name)} />
            <b className="grow break">{full_name}</b>
            <small className="num">Visa, {formatInstant(given_at)}</small>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Reached({ reach }: { reach: ReachShown }) {
  const { way, confirmed } = reachInWords(reach);
  const isConfirmed = reach !== null && reach.confirmed.length > 0;
  return (
    <>
      <p className="muted small break">{way}</p>
      <p className={`small break ${proofCardsStyles.confirmed}`}>
        <Icon name={isConfirmed ? "check" : "info"} size="sm" />
        <span>{confirmed}</span>
      </p>
    </>
  );
}

/** Nobody is awaited after the end, or when the stored file is not the signed one. */
function Unsigned({
  proof: { completed, cancelled, declined, expired, verdict },
}: {
  proof: Proof;
}) {
  if (completed || verdict === "invalid")
    return <Tick word={{ tone: "bad", word: "Signature introuvable" }} />;
  if (cancelled || declined || expired) return <span className="muted">N’a pas signé</span>;
  return (
    <span className={proofCardsStyles.tick} data-tone="unsure">
      <Icon name="clock" size="sm" />
      En attente de signature
    </span>
  );
}

function VerdictBanner({ proof, band }: { readonly proof: Proof; readonly band: Band }) {
  return (
    <Verdict {...band}>
      {proof.warnings.map((warning) => (
        <p key={warning}>
          <strong>À noter.</strong> {warning}
        </p>
      ))}
      {proof.purged && band.seal !== "gone" ? <p>{describePurge(proof)}</p> : null}
    </Verdict>
  );
}

/** The finding, then the advice. */
const MEANINGS: Readonly<Record<Proof["verdict"], readonly string[]>> = {
  valid: [
    "Chaque signature a été vérifiée avec son certificat et sa date.",
    "Comparez le papier que vous tenez avec le document affiché ici\u00a0: seul ce dernier fait foi.",
  ],
  indeterminate: [
    "Rien ne montre que le document a été modifié.",
    "Il manque un élément pour conclure\u00a0: une signature attendue, ou une information de révocation.",
    "Revenez plus tard, ou demandez l’exemplaire signé à son expéditeur.",
  ],
  invalid: [
    "Le contrôle a échoué\u00a0: ne vous fiez pas à ce document.",
    "Il a pu être modifié après la signature, son certificat n’est plus digne de confiance, ou l’historique qui le raconte a été changé.",
    "Demandez un nouvel exemplaire à son expéditeur.",
  ],
};

const CANCELLED = [
  "L’expéditeur a annulé cette enveloppe\u00a0: elle ne sera pas complétée.",
  "Ses empreintes restent ici, pour reconnaître un exemplaire.",
  "Demandez à son expéditeur ce qui la remplace.",
];

const DECLINED = [
  "Une personne à qui la signature était demandée l’a refusée\u00a0: ce document ne sera pas complété.",
  "Les signatures déjà apposées restent celles de leurs auteurs\u202f; elles ne font pas un accord de tous.",
  "Demandez à son expéditeur ce qui le remplace.",
];

const EXPIRED = [
  "L’échéance est passée avant que tous aient signé\u00a0: plus personne ne peut signer ce document en l’état.",
  "Les signatures déjà apposées restent celles de leurs auteurs\u202f; elles ne font pas un accord de tous.",
  "Demandez à son expéditeur s’il prolonge l’échéance, ou ce qui le remplace.",
];

const PURGED = [
  "Ce document avait été signé par tous\u00a0; son propriétaire l’a retiré d’ici depuis.",
  "Ses empreintes restent\u00a0: un exemplaire qui porte la même est exactement celui qui a été signé.",
  "Ses signatures ne peuvent plus être vérifiées ici\u00a0: elles le sont dans l’exemplaire que chaque signataire a reçu.",
];

const NEVER_COMPLETED = [
  "Ce document n’a jamais été signé par tous\u00a0: il ne vaut pas accord entre les parties.",
  "Ses empreintes restent\u00a0: elles servent à reconnaître un exemplaire, sans en faire un document signé.",
  "Demandez à son expéditeur ce qui le remplace.",
];

type VerdictMeaningProps = Pick<
  Proof,
  "documents" | "signers" | "completed" | "purged" | "cancelled" | "declined" | "expired"
> & {
  readonly verdict: Proof["verdict"];
};

function VerdictMeaning({ verdict, ...proof }: VerdictMeaningProps) {
  const { documents, signers } = proof;
  const signed =
    verdict === "valid"
      ? [exactlySigned({ files: documents.length, signers: signers.length })]
      : [];
  const lines = [
    ...signed,
    ...((verdict === "indeterminate" ? endOf(proof) : null) ?? MEANINGS[verdict]),
  ];
  const toneOf = (index: number): MeaningLine["tone"] => {
    if (verdict === "invalid" && index === 0) return "bad";
    return verdict === "valid" && index < lines.length - 1 ? "good" : "note";
  };
  return <MeaningList lines={lines.map((text, index) => ({ tone: toneOf(index), text }))} />;
}

function endOf({
  completed,
  purged,
  cancelled,
  declined,
  expired,
}: Omit<VerdictMeaningProps, "verdict">): readonly string[] | null {
  if (purged) return completed ? PURGED : NEVER_COMPLETED;
  if (cancelled) return CANCELLED;
  if (declined) return DECLINED;
  return expired ? EXPIRED : null;
}

const OwnFiles = lazyPart(
  async () => (await import("./own-files.tsx")).OwnFiles,
  <Skeleton width="100%" height={96} />,
);

type ProofHeadProps = {
  readonly uuid: string;
  readonly sig: string;
  readonly proof: Proof;
  readonly shown: ShownVerdict;
  readonly band: Band;
  readonly title: string;
  /** Opens the document over the page; undefined where it stands beside. */
  readonly onView: (() => void) | undefined;
  readonly qr: ReactNode;
};

function ProofHead({ uuid, sig, proof, shown, band, title, onView, qr }: ProofHeadProps) {
  const [isComparing, setIsComparing] = useState(false);
  const documents = comparedDocuments(proof);
  return (
    <section className="card" aria-label="Résultat">
      <VerdictBanner proof={proof} band={band} />
      <div className={`card__body ${styles.head}`}>
        <div className="stack">
          <div>
            <p className="muted small">Document</p>
            <p className={styles.title}>{title}</p>
            {shown.isPaperDoubted === true ? null : (
              <div className={styles.status}>
                <StatusBadge proof={proof} />
                <span className="ink2">{progressSaid(proof)}</span>
              </div>
            )}
          </div>
          {shown.word !== undefined ? null : (
            <div className="stack stack--sm">
              <h2 className="h3">Ce que cela signifie</h2>
              <VerdictMeaning {...proof} verdict={shown.verdict} />
            </div>
          )}
        </div>
        {qr}
      </div>
      <div className={`card__foot ${styles.actions}`}>
        {documents.length === 0 ? null : (
          <Button
            variant="primary"
            aria-expanded={isComparing}
            onClick={() => setIsComparing(!isComparing)}
          >
            <Icon name="search" size="sm" />
            {compareTitle(documents)}
          </Button>
        )}
        <ProofDownload uuid={uuid} sig={sig} isMain={documents.length === 0} />
        {onView === undefined ? null : (
          <Button onClick={onView}>
            <Icon name="eye" size="sm" />
            Voir le document
          </Button>
        )}
      </div>
      {isComparing ? (
        <div className={`card__foot ${styles.compare}`}>
          <OwnFiles documents={documents} />
        </div>
      ) : null}
    </section>
  );
}

function progressSaid({ completed, completed_at, purged, signers }: Proof): string | null {
  if (completed && completed_at) return `Complété le ${formatInstant(completed_at)}`;
  if (purged && !completed) return "Jamais complété";
  return purged
    ? null
    : `${plural(signers.filter(({ signed }) => signed).length, "signature")} sur ${signers.length}`;
}

function StatusBadge({ proof }: { proof: Proof }) {
  if (proof.purged) return <Badge tone="cancelled">Supprimé</Badge>;
  if (proof.cancelled) return <Badge tone="cancelled">Annulé</Badge>;
  if (proof.declined) return <Badge tone="declined">Refusé</Badge>;
  if (proof.expired) return <Badge tone="expired">Expirée</Badge>;
  return (
    <Badge tone={proof.completed ? "completed" : "sent"}>
      {proof.completed ? "Terminé" : "En cours"}
    </Badge>
  );
}

type DownloadProps = { readonly uuid: string; readonly sig: string; readonly isMain: boolean };

function ProofDownload({ uuid, sig, isMain }: DownloadProps) {
  const [isBusy, setIsBusy] = useState(false);
  const download = async () => {
    setIsBusy(true);
    try {
      await saveProof(uuid, sig);
    } catch (error) {
      showToast("err", callMessage(error, "Échec du téléchargement. Veuillez réessayer."));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button
      variant={isMain ? "primary" : "secondary"}
      loading={isBusy}
      onClick={() => void download()}
    >
      <Icon name="download" size="sm" />
      Télécharger la preuve
    </Button>
  );
}

/** Without « , pour … ». */
const signerOf = (name: string) => name.split(", pour ")[0] ?? name;
