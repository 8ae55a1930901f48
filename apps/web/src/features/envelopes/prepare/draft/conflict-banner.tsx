import type { Envelope } from "@paraphe/contracts";
import { andList, asSubject } from "@paraphe/kernel/french-words";
import { useEffect } from "react";
import { callMessage } from "../../../../lib/api/api-error.ts";
import { formatInstant, formatTime, parisDay } from "../../../../lib/format/format-dates.ts";
import { useMediaQuery } from "../../../../lib/browser/use-media-query.ts";
import { Alert } from "../../../../ui/alert/alert.tsx";
import { Button } from "../../../../ui/button/button.tsx";
import { LinkButton } from "../../../../ui/button/link-button.tsx";
import { FullLoader } from "../../../../ui/skeleton/skeleton.tsx";
import { PageHeading } from "../../../../ui/page-heading/page-heading.tsx";
import { LinkAction } from "../../../../ui/link/link-action.tsx";
import { showToast } from "../../../../ui/toast/toast-store.ts";
import type { SendFinding } from "../sending/send-check.ts";
import { FIX_WORDS } from "../steps.ts";
import { useRewind } from "../use-steps.ts";
import styles from "./conflict-banner.module.css";
import type { DraftKeeper } from "./draft-keeper.ts";
import type { DraftPart, SaveStatus } from "./draft.ts";

/** Further refusals stand at their fields and in the check list. */
const MOST = 3;

const PARTS: Readonly<Record<DraftPart, string>> = {
  title: "le titre",
  message: "le message",
  deadline: "l’échéance",
  isSequential: "l’ordre de signature",
  documentKind: "le genre de document",
  remindEveryDays: "le rappel automatique",
  proofOnly: "la page publique",
  team: "l’équipe",
  recipients: "les destinataires",
  fields: "les champs",
};

type ConflictBannerProps = {
  readonly status: SaveStatus;
  readonly keeper: DraftKeeper;
  /** As it was opened. */
  readonly opened: Envelope | null;
  readonly refused: readonly SendFinding[];
  readonly onFix: (finding: SendFinding) => void;
};

export function ConflictBanner({ status, keeper, opened, refused, onFix }: ConflictBannerProps) {
  if (status.kind !== "conflict" && status.kind !== "gone" && status.kind !== "failed")
    return opened?.returned ? <Returned {...opened.returned} /> : null;
  return (
    <div className={styles.banner}>
      {status.kind === "conflict" ? <Conflict at={status.at} keeper={keeper} /> : null}
      {status.kind === "gone" ? (
        <Alert tone="danger" title="Ce brouillon n’existe plus.">
          <LinkButton size="sm" to="/signature/envelopes/drafts">
            Retour aux brouillons
          </LinkButton>
        </Alert>
      ) : null}
      {status.kind === "failed" ? (
        <NotSaved error={status.error} refused={refused} onFix={onFix} />
      ) : null}
    </div>
  );
}

function Conflict({ at, keeper }: { readonly at: Date | null; readonly keeper: DraftKeeper }) {
  const mine = keeper.edits()?.dirty ?? [];
  const attempt = (action: () => Promise<void>) => {
    action().catch((error: unknown) =>
      showToast("err", callMessage(error, "Erreur réseau ou serveur injoignable")),
    );
  };
  return (
    <Alert tone="warning" title={`Ce brouillon a été modifié ailleurs${momentOf(at)}.`}>
      {mine.length === 0 ? null : (
        <p>{`Garder votre version n’y remplace que ${andList(mine.map((part) => PARTS[part]))}.`}</p>
      )}
      <div className="row">
        <Button size="sm" onClick={() => attempt(keeper.reload)}>
          Recharger
        </Button>
        {mine.length === 0 ? null : (
          <Button size="sm" onClick={() => attempt(keeper.keepMine)}>
            Garder ma version
          </Button>
        )}
      </div>
    </Alert>
  );
}

type NotSavedProps = Pick<ConflictBannerProps, "refused" | "onFix"> & { readonly error: unknown };

function NotSaved({ error, refused, onFix }: NotSavedProps) {
  return (
    <Alert tone="danger">
      {callMessage(
        error,
        "Vos modifications n’ont pas pu être enregistrées. Elles restent sur cette page.",
      )}
      {refused.length === 0 ? null : (
        <ul>
          {refused.slice(0, MOST).map((finding) => (
            <li key={finding.text}>
              {finding.text}{" "}
              <LinkAction onClick={() => onFix(finding)}>{FIX_WORDS[finding.step]}</LinkAction>
            </li>
          ))}
        </ul>
      )}
    </Alert>
  );
}

/** For today, the time alone. */
function momentOf(at: Date | null): string {
  if (at === null) return "";
  const instant = at.toISOString();
  return parisDay(at) === parisDay(new Date())
    ? ` à\u00a0${formatTime(instant)}`
    : ` le ${formatInstant(instant)}`;
}

function Returned({ by, reason }: NonNullable<Envelope["returned"]>) {
  const isLow = useMediaQuery("(min-width: 560px) and (max-height: 519.98px)");
  const title = `${asSubject(by ?? "Un destinataire")} vous renvoie ce document`;
  const words = (
    <>
      {reason ? <Reason reason={reason} isWhole={isLow} /> : null}
      <p>Corrigez-le, puis envoyez-le de nouveau&nbsp;: visas et signatures seront redemandés.</p>
    </>
  );
  return (
    <div className={styles.banner}>
      {isLow ? (
        <Alert tone="warning">
          <details>
            <summary className={styles.summary}>
              <strong>{title}</strong>
            </summary>
            {words}
          </details>
        </Alert>
      ) : (
        <Alert tone="warning" title={title}>
          {words}
        </Alert>
      )}
    </div>
  );
}

type ReasonProps = { readonly reason: string; readonly isWhole: boolean };

function Reason({ reason, isWhole }: ReasonProps) {
  const fits = useMediaQuery("(min-width: 768px)") ? FITTING.wide : FITTING.narrow;
  const quoted = `«\u00a0${reason}\u00a0»`;
  if (isWhole || reason.length <= fits) return <p>{quoted}</p>;
  return (
    <details className={styles.reason}>
      <summary>
        <span>{quoted}</span>
        <u>Lire tout</u>
      </summary>
    </details>
  );
}
const FITTING = { narrow: 80, wide: 200 };

type Closed = Pick<Envelope, "id" | "status" | "sent_at">;

function AlreadySent({ envelope }: { envelope: Closed }) {
  const sentence = closedSentence(envelope);
  useEffect(() => void showToast("info", sentence), [sentence]);
  useRewind(`/signature/detail/${envelope.id}`);
  return <FullLoader label="Ouverture de l’enveloppe" />;
}

function closedSentence({ status, sent_at }: Closed): string {
  if (status !== "cancelled") return "Cette enveloppe a déjà été envoyée.";
  return sent_at === null
    ? "Ce brouillon est dans «\u00a0Supprimé\u00a0». Restaurez-le pour le modifier."
    : "Cette enveloppe a été annulée.";
}

function ReadsOnly() {
  return (
    <main className="main main--form stack" id="contenu">
      <PageHeading title="Demander signature">Demander signature</PageHeading>
      <Alert tone="info" title="Votre rôle de lecteur permet seulement de consulter">
        <p>Demandez à un administrateur de le changer.</p>
        <LinkButton to="/dashboard">Retour au tableau de bord</LinkButton>
      </Alert>
    </main>
  );
}

/** Null when the reader's role prepares nothing. */
export function NoEditor({ envelope }: { readonly envelope: Envelope | null }) {
  return envelope === null ? <ReadsOnly /> : <AlreadySent envelope={envelope} />;
}
