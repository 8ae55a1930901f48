import type { Proof } from "@paraphe/contracts";
import { type ReactNode, useState } from "react";
import { callMessage } from "../../../lib/call-message.ts";
import { formatInstant } from "../../../lib/format-dates.ts";
import { plural } from "../../../lib/format-numbers.ts";
import { Badge } from "../../../ui/badge/badge.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { buttonLook } from "../../../ui/button/button-look.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { lazyPart } from "../../../ui/lazy-step/lazy-step.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import type { Band } from "./band-of.ts";
import { comparedDocuments, compareTitle } from "./compared-documents.ts";
import { saveProof } from "./proof-calls.ts";
import styles from "./proof-view.module.css";
import type { ShownVerdict } from "./shown-verdict.ts";
import { VerdictBanner } from "./verdict-banner.tsx";
import { VerdictMeaning } from "./verdict-meaning.tsx";

const OwnFiles = lazyPart(async () => (await import("./own-files.tsx")).OwnFiles, <Skeleton width="100%" height={96} />);

type Props = {
  readonly uuid: string;
  readonly sig: string;
  readonly proof: Proof;
  readonly shown: ShownVerdict;
  readonly band: Band;
  readonly title: string;
  /** The signed file's own address, where it does not stand beside. */
  readonly address: string | undefined;
  /** Opens the document over the page; undefined where it stands beside. */
  readonly onView: (() => void) | undefined;
  readonly onPrint: () => void;
  readonly qr: ReactNode;
};

/** The verdict, of what, what it means, and what can be done with it. */
export function ProofHead({ uuid, sig, proof, shown, band, title, address, onView, onPrint, qr }: Props) {
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
          <Button variant="primary" aria-expanded={isComparing} onClick={() => setIsComparing(!isComparing)}>
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
        {address === undefined ? null : (
          <a className={buttonLook({})} href={address} target="_blank" rel="noreferrer">
            <Icon name="external" size="sm" />
            Ouvrir dans un nouvel onglet
          </a>
        )}
        <Button variant="ghost" onClick={onPrint}>
          <Icon name="print" size="sm" />
          Imprimer cette page
        </Button>
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
  return purged ? null : `${plural(signers.filter(({ signed }) => signed).length, "signature")} sur ${signers.length}`;
}

function StatusBadge({ proof }: { proof: Proof }) {
  if (proof.purged) return <Badge tone="cancelled">Supprimé</Badge>;
  if (proof.cancelled) return <Badge tone="cancelled">Annulé</Badge>;
  if (proof.declined) return <Badge tone="declined">Refusé</Badge>;
  if (proof.expired) return <Badge tone="expired">Expirée</Badge>;
  return <Badge tone={proof.completed ? "completed" : "sent"}>{proof.completed ? "Terminé" : "En cours"}</Badge>;
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
    <Button variant={isMain ? "primary" : "secondary"} loading={isBusy} onClick={() => void download()}>
      <Icon name="download" size="sm" />
      Télécharger la preuve
    </Button>
  );
}
