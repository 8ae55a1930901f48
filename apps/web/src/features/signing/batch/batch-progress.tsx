import type { BatchJob } from "@paraphe/contracts";
import { plural } from "../../../lib/format-numbers.ts";
import { Button } from "../../../ui/button/button.tsx";
import { BatchItems } from "./batch-items.tsx";
import styles from "./bulk.module.css";
import { remainingTime, type Moment } from "./remaining-time.ts";

type BatchProgressProps = {
  readonly job: BatchJob;
  readonly first: Moment | null;
  readonly at: number;
  readonly isStopping: boolean;
  readonly onStop: () => void;
};

/** A batch at work: how far it is, each file's state, and the way to stop what has not begun. */
export function BatchProgress({ job, first, at, isStopping, onStop }: BatchProgressProps) {
  const ended = job.items.filter(({ status }) => status !== "queued" && status !== "running").length;
  const percent = Math.round((ended / Math.max(1, job.total)) * 100);
  return (
    <main className="main main--form stack" id="contenu">
      <h1 className="h1" tabIndex={-1}>
        Signature en cours
      </h1>
      <div className="card card__body stack stack--sm">
        <div className="row row--between">
          <b className="num">{`${plural(job.done, "document signé", "documents signés")} sur ${job.total}`}</b>
          <span className="ink2 num">{remainingTime(first, { at, ended }, job.total)}</span>
        </div>
        <div
          className={styles["progress"]}
          role="progressbar"
          aria-label="Signature des documents"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={percent}
        >
          <i style={{ width: `${percent}%` }} />
        </div>
        <div className="row">
          <Button size="sm" loading={isStopping} onClick={onStop}>
            Arrêter la signature
          </Button>
          <span className="muted small">Ce qui est déjà signé le reste.</span>
        </div>
      </div>
      <BatchItems batchId={job.id} items={job.items} />
    </main>
  );
}
