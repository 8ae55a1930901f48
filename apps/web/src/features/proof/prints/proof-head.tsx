import type { Proof } from "@paraphe/contracts";
import { type ReactNode, useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { exactlySigned } from "../../../lib/format/format-validity.ts";
import { formatInstant } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Badge } from "../../../ui/badge/badge.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { lazyPart } from "../../../ui/lazy-step/lazy-step.tsx";
import { type MeaningLine, MeaningList } from "../../../ui/meaning-list/meaning-list.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { Verdict } from "../../../ui/verdict/verdict.tsx";
import { comparedDocuments, compareTitle } from "./proof-files.ts";
import { saveProof } from "./proof-calls.ts";
import { type Band, describePurge, type ShownVerdict } from "./shown-verdict.ts";
import styles from "./proof-view.module.css";

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

/** The finding, then the advice; `valid` begins with what was signed, and by how many. */
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

export function ProofHead({ uuid, sig, proof, shown, band, title, onView, qr }: ProofHeadProps) {
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
