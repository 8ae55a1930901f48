import type { BatchJob } from "@paraphe/contracts";
import { formatLongDay } from "../../../lib/format-dates.ts";
import { plural } from "../../../lib/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { type BatchRetry, batchCalls } from "./batch-calls.ts";
import { BatchItems } from "./batch-items.tsx";
import styles from "./bulk.module.css";
import { positionsFor } from "./retry-of.ts";

type BatchResultProps = {
  readonly job: BatchJob;
  readonly availableUntil: string | null;
  readonly isRetrying: boolean;
  readonly onRetry: (asked: BatchRetry) => void;
};

/** A batch that has ended: how many are signed, the archive, and first of all what failed, with its reason and another try. */
export function BatchResult({ job, availableUntil, isRetrying, onRetry }: BatchResultProps) {
  const stoppedAt = job.items.flatMap(({ status }, index) => (status === "cancelled" ? [index] : []));
  const stopped = stoppedAt.length;
  return (
    <main className="main main--form stack" id="contenu">
      <div className={`card card__body ${styles["summary"]}`}>
        <span className={styles["medal"]} data-tone={job.failed > 0 || stopped > 0 ? "partial" : "done"} aria-hidden="true">
          <Icon name={job.failed > 0 || stopped > 0 ? "warning" : "check"} />
        </span>
        <div className="grow">
          <h1 className={styles["count"]} tabIndex={-1}>
            {`${plural(job.done, "document signé", "documents signés")} sur ${job.total}`}
          </h1>
          {availableUntil === null ? null : <p className="muted">{`Archive disponible jusqu’au ${formatLongDay(availableUntil)}.`}</p>}
        </div>
        {job.done > 0 ? (
          <Button variant="primary" size="lg" onClick={() => void downloadArchive(job.id)}>
            <Icon name="archive" />
            Télécharger l’archive
          </Button>
        ) : null}
      </div>
      {job.failed > 0 ? (
        <Alert tone="danger" title={`${plural(job.failed, "document n’a pas pu être signé", "documents n’ont pas pu être signés")}.`}>
          <FailureActions job={job} isRetrying={isRetrying} onRetry={onRetry} />
        </Alert>
      ) : null}
      {stopped > 0 ? (
        <Alert tone="info" title={`${plural(stopped, "document arrêté", "documents arrêtés")} avant la signature.`}>
          <LinkAction onClick={() => onRetry({ items: stoppedAt })} disabled={isRetrying}>
            Reprendre la signature
          </LinkAction>
        </Alert>
      ) : null}
      <BatchItems batchId={job.id} items={job.items} onRetry={isRetrying ? undefined : onRetry} />
      <div className="row">
        <LinkButton to="/signature/envelopes/completed">Voir les documents signés</LinkButton>
        <LinkButton to="/signature/bulk-same">Signer d’autres fichiers</LinkButton>
      </div>
    </main>
  );
}

type FailureActionsProps = Pick<BatchResultProps, "job" | "isRetrying" | "onRetry">;

/** What may be done for all that failed: another try where it may succeed, the corrected copies; else another file is the way. */
function FailureActions({ job, isRetrying, onRetry }: FailureActionsProps) {
  const again = positionsFor(job.items, "again").filter((index) => job.items[index]?.status === "failed");
  const corrected = positionsFor(job.items, "corrected");
  return (
    <div className="row">
      {again.length > 0 ? (
        <LinkAction onClick={() => onRetry({ items: again })} disabled={isRetrying}>
          {again.length > 1 ? `Réessayer les ${again.length} échecs` : "Réessayer ce document"}
        </LinkAction>
      ) : null}
      {corrected.length > 0 ? (
        <LinkAction onClick={() => onRetry({ items: corrected, acceptsCopies: true })} disabled={isRetrying}>
          {corrected.length > 1 ? `Accepter et signer les ${corrected.length} copies corrigées` : "Accepter et signer la copie corrigée"}
        </LinkAction>
      ) : null}
      {positionsFor(job.items, "compared").length > 0 ? (
        <p>Là où la copie corrigée n’a pas le même aspect, comparez-la avec l’original, sous le nom du fichier, avant de l’accepter.</p>
      ) : again.length + corrected.length === 0 ? (
        <p>Corrigez ces fichiers comme il est dit sous leur nom, puis signez-les dans un autre lot.</p>
      ) : null}
    </div>
  );
}

/** The browser itself saves the archive while it comes: two gigabytes are no matter for the page. Asked first, so that the session lives. */
async function downloadArchive(id: string): Promise<void> {
  try {
    await batchCalls.load(id);
  } catch {
    showToast("err", "Échec du téléchargement");
    return;
  }
  const link = document.createElement("a");
  link.href = batchCalls.archiveAddress(id);
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}
