import type { BatchJob } from "@paraphe/contracts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError } from "../../../lib/api-error.ts";
import { callMessage } from "../../../lib/call-message.ts";
import { formatInstant } from "../../../lib/format-dates.ts";
import { usePageTitle } from "../../../lib/use-page-title.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { FullLoader } from "../../../ui/full-loader/full-loader.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { BatchBar } from "./batch-bar.tsx";
import { type BatchRetry, batchCalls } from "./batch-calls.ts";
import { BatchProgress } from "./batch-progress.tsx";
import { BatchResult } from "./batch-result.tsx";
import type { Moment } from "./remaining-time.ts";
import { batchKey, isEnded, useBatchJob } from "./use-batch-job.ts";

/** Third step: what becomes of the batch of this address, at work or ended; a reload finds it again. */
export function BatchView({ id }: { readonly id: string }) {
  usePageTitle("Signature masse");
  const client = useQueryClient();
  const query = useBatchJob(id);
  const job = query.data;
  const keep = (changed: BatchJob) => {
    client.setQueryData(batchKey(id), changed);
    void client.invalidateQueries({ queryKey: ["batches"] });
    void query.refetch();
  };
  const fail = (error: unknown) => showToast("err", callMessage(error, "La demande n’a pas abouti. Réessayez dans un instant."));
  const cancel = useMutation({ mutationFn: () => batchCalls.cancel(id), onSuccess: keep, onError: fail });
  const retry = useMutation({
    mutationFn: (asked: BatchRetry) => batchCalls.retry(id, asked),
    onSuccess: keep,
    onError: fail,
  });
  const first = useFirstMoment(job, query.dataUpdatedAt);
  const summary = useSummary(id, job !== undefined && isEnded(job));
  if (query.error && !job) return <Lost error={query.error} onRetry={() => void query.refetch()} />;
  if (!job) return <FullLoader label="Chargement du lot" />;
  if (!isEnded(job)) {
    return (
      <>
        <BatchBar subtitle="Vous pouvez quitter cette page, la signature continue" step={2} />
        <BatchProgress job={job} first={first} at={query.dataUpdatedAt} isStopping={cancel.isPending} onStop={() => cancel.mutate()} />
      </>
    );
  }
  const ended = summary?.finished_at ?? null;
  return (
    <>
      <BatchBar subtitle={ended === null ? "Terminé" : `Terminé le ${formatInstant(ended)}`} step={3} />
      <BatchResult
        job={job}
        availableUntil={summary?.available_until ?? null}
        isRetrying={retry.isPending}
        onRetry={(asked) => retry.mutate(asked)}
      />
    </>
  );
}

/** Where the batch stood when this page first saw it move: its pace is read from there. */
function useFirstMoment(job: BatchJob | undefined, at: number): Moment | null {
  const first = useRef<Moment | null>(null);
  if (job && first.current === null && job.status === "running") first.current = { at, ended: countEnded(job) };
  return first.current;
}

export function countEnded(job: BatchJob): number {
  return job.items.filter(({ status }) => status !== "queued" && status !== "running").length;
}

/** When it ended, and until when its archive is kept. */
function useSummary(id: string, isWanted: boolean) {
  const [since] = useState(() => Date.now());
  const { data } = useQuery({ queryKey: ["batches", id, since], queryFn: batchCalls.list, enabled: isWanted });
  return data?.results.find((batch) => batch.id === id);
}

function Lost({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <main className="main main--form stack" id="contenu">
      <h1 className="h1" tabIndex={-1}>
        Signature masse
      </h1>
      <Alert
        tone={isGone ? "info" : "danger"}
        title={isGone ? "Ce lot n’existe plus." : callMessage(error, "Le lot n’a pas pu être chargé.")}
      >
        <div className="stack stack--sm">
          {isGone ? <p>Une archive est gardée sept jours. Les documents signés restent dans «&nbsp;Complété(s)&nbsp;».</p> : null}
          <div className="row">
            {isGone ? (
              <LinkButton to="/signature/envelopes/completed">Voir les documents signés</LinkButton>
            ) : (
              <Button onClick={onRetry}>Réessayer</Button>
            )}
            <LinkButton to="/signature/bulk-same">Signer d’autres fichiers</LinkButton>
          </div>
        </div>
      </Alert>
    </main>
  );
}
