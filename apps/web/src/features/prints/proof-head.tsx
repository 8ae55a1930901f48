import type { Proof } from "@paraphe/contracts";
import { type ReactNode, useState } from "react";
import { callMessage } from "../../lib/call-message.ts";
import { formatInstant } from "../../lib/format-dates.ts";
import { plural } from "../../lib/format-numbers.ts";
import { Badge } from "../../ui/badge/badge.tsx";
import { Button } from "../../ui/button/button.tsx";
import { buttonLook } from "../../ui/button/button-look.ts";
import { Icon } from "../../ui/icon/icon.tsx";
import { Seal } from "../../ui/seal/seal.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { saveProof } from "./proof-calls.ts";
import styles from "./proof-view.module.css";
import { sealState } from "./seal-state.ts";
import type { ShownVerdict } from "./shown-verdict.ts";
import { VerdictBanner } from "./verdict-banner.tsx";

type Props = {
  readonly uuid: string;
  readonly sig: string;
  readonly proof: Proof;
  readonly shown: ShownVerdict;
  readonly title: string;
  /** The signed file's own address, where one is shown. */
  readonly address: string | undefined;
  /** Opens the document over the page; undefined where it stands beside. */
  readonly onView: (() => void) | undefined;
  readonly onPrint: () => void;
  readonly qr: ReactNode;
};

/** What is proven, the verdict, and what can be done with it. */
export function ProofHead({ uuid, sig, proof, shown, title, address, onView, onPrint, qr }: Props) {
  return (
    <section className="card" aria-labelledby="titre">
      <div className={`card__body ${styles.head}`}>
        <Seal state={sealState(proof, shown.verdict)} />
        <div className="grow">
          <h1 className="h1" id="titre" tabIndex={-1}>
            {title}
          </h1>
          {shown.isPaperDoubted === true ? null : (
            <div className={styles.status}>
              <StatusBadge proof={proof} />
              <span className="ink2">{progressSaid(proof)}</span>
            </div>
          )}
        </div>
        {qr}
      </div>
      <VerdictBanner proof={proof} shown={shown} />
      <div className={`card__foot ${styles.actions}`}>
        <ProofDownload uuid={uuid} sig={sig} />
        {address === undefined ? null : (
          <a className={buttonLook({})} href={address} target="_blank" rel="noreferrer">
            <Icon name="external" size="sm" />
            Ouvrir dans un nouvel onglet
          </a>
        )}
        {onView === undefined ? null : (
          <Button onClick={onView}>
            <Icon name="eye" size="sm" />
            Voir le document
          </Button>
        )}
        <Button onClick={onPrint}>
          <Icon name="print" size="sm" />
          Imprimer cette page
        </Button>
      </div>
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

function ProofDownload({ uuid, sig }: { uuid: string; sig: string }) {
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
    <Button variant="primary" loading={isBusy} onClick={() => void download()}>
      <Icon name="download" size="sm" />
      Télécharger la preuve
    </Button>
  );
}
