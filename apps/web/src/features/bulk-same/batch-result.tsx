import type { BatchJob } from "@paraphe/contracts";
import { formatLongDay } from "../../lib/format-dates.ts";
import { plural } from "../../lib/format-numbers.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { batchCalls } from "./batch-calls.ts";
import { BatchItems } from "./batch-items.tsx";
import styles from "./bulk.module.css";

type BatchResultProps = {
  readonly job: BatchJob;
  readonly availableUntil: string | null;
  readonly isRetrying: boolean;
  readonly onRetry: (items?: readonly number[]) => void;
};

/** A batch that has ended: how many are signed, the archive, and first of all what failed, with its reason and another try. */
export function BatchResult({ job, availableUntil, isRetrying, onRetry }: BatchResultProps) {
  const stopped = job.items.filter(({ status }) => status === "cancelled").length;
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
          <LinkAction onClick={() => onRetry()} disabled={isRetrying}>
            {job.failed > 1 ? `Réessayer les ${job.failed} échecs` : "Réessayer ce document"}
          </LinkAction>
        </Alert>
      ) : null}
      {stopped > 0 && job.failed === 0 ? (
        <Alert tone="info" title={`${plural(stopped, "document arrêté", "documents arrêtés")} avant la signature.`}>
          <LinkAction onClick={() => onRetry()} disabled={isRetrying}>
            Reprendre la signature
          </LinkAction>
        </Alert>
      ) : null}
      <BatchItems items={job.items} onRetry={isRetrying ? undefined : (index) => onRetry([index])} />
      <div className="row">
        <LinkButton to="/signature/envelopes/completed">Voir les documents signés</LinkButton>
        <LinkButton to="/signature/bulk-same">Signer d’autres fichiers</LinkButton>
      </div>
    </main>
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
