import type { BatchJob } from "@paraphe/contracts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { announce } from "../../../lib/browser/announce.ts";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { formatInstant, formatLongDay } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { usePageTitle } from "../../../ui/page-heading/page-heading.tsx";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { FileItem } from "../../../ui/file-item/file-item.tsx";
import { FullLoader } from "../../../ui/skeleton/skeleton.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction, TextLink } from "../../../ui/link/link-action.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { CopyConsent } from "../../documents/correction/copy-consent.tsx";
import { BatchBar } from "./files-step.tsx";
import {
  batchCalls,
  type BatchRetry,
  type Moment,
  positionsFor,
  remainingTime,
  retryOf,
} from "./batch-calls.ts";
import styles from "./bulk.module.css";

const FIRST_POLL_MS = 1_000;
const LONGEST_POLL_MS = 5_000;

const batchKey = (id: string) => ["batch", id] as const;

function isEnded(job: BatchJob): boolean {
  return job.status !== "queued" && job.status !== "running";
}

/** Polls less and less often. */
function useBatchJob(id: string) {
  const query = useQuery({
    queryKey: batchKey(id),
    queryFn: ({ signal }) => batchCalls.load(id, signal),
    refetchInterval: ({ state }) =>
      state.data === undefined || isEnded(state.data)
        ? false
        : Math.min(LONGEST_POLL_MS, FIRST_POLL_MS + Math.floor(state.dataUpdateCount / 3) * 500),
  });
  useAnnouncedProgress(query.data);
  return query;
}

function useAnnouncedProgress(job: BatchJob | undefined): void {
  const announced = useRef<number | null>(null);
  const ended = job
    ? job.items.filter(({ status }) => status !== "queued" && status !== "running").length
    : 0;
  const tenth = job ? Math.floor((ended / Math.max(1, job.total)) * 10) : null;
  useEffect(() => {
    if (!job || tenth === null || tenth === announced.current) return;
    // The state on opening is read with the page.
    if (announced.current !== null) announce(`${job.done} documents signés sur ${job.total}`);
    announced.current = tenth;
  }, [job, tenth]);
}

type ComparedCopyProps = {
  readonly batchId: string;
  readonly position: number;
  readonly name: string;
  readonly onAccept: () => void;
};

/** Shows a corrected copy that looks different, and asks whether to sign it. */
function ComparedCopy({ batchId, position, name, onAccept }: ComparedCopyProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [accepts, setAccepts] = useState(false);
  const ask = useMemo(
    () => (from: number, signal: AbortSignal) =>
      batchCalls.compare(batchId, { position, from }, signal),
    [batchId, position],
  );
  if (!isOpen)
    return (
      <LinkAction
        onClick={() => setIsOpen(true)}
        aria-label={`Comparer avec l’original\u00a0: ${name}`}
      >
        Comparer avec l’original
      </LinkAction>
    );
  return (
    <div className="stack stack--sm">
      <CopyConsent
        ask={ask}
        label="J’accepte de signer la copie corrigée"
        checked={accepts}
        onChange={setAccepts}
      />
      <div>
        <Button size="sm" disabled={!accepts} onClick={onAccept}>
          Signer la copie corrigée
        </Button>
      </div>
    </div>
  );
}

type Item = BatchJob["items"][number];
type BatchItemsProps = {
  readonly batchId: string;
  readonly items: readonly Item[];
  readonly onRetry?: ((asked: BatchRetry) => void) | undefined;
};

function BatchItems({ batchId, items, onRetry }: BatchItemsProps) {
  const rows = items.map((item, index) => ({ item, index }));
  const ordered = [
    ...rows.filter(({ item }) => item.status === "failed"),
    ...rows.filter(({ item }) => item.status !== "failed"),
  ];
  return (
    <ul className={styles["files"]} aria-label="Documents">
      {ordered.map(({ item, index }) => (
        <FileItem
          key={index}
          name={item.name}
          error={item.detail ?? undefined}
          meta={itemLink(item, onRetry && { batchId, index, onRetry })}
          actions={
            <span className={styles["state"]}>
              <ItemState status={item.status} />
            </span>
          }
        />
      ))}
    </ul>
  );
}

type Again = {
  readonly batchId: string;
  readonly index: number;
  readonly onRetry: (asked: BatchRetry) => void;
};

function itemLink(item: Item, again: Again | undefined): ReactNode | undefined {
  if (item.envelope_id !== null)
    return (
      <TextLink to={`/signature/detail/${item.envelope_id}`} aria-label={`Ouvrir ${item.name}`}>
        Ouvrir
      </TextLink>
    );
  const way = retryOf(item);
  if (again === undefined || way === null) return undefined;
  const retry = (acceptsCopies: boolean) => again.onRetry({ items: [again.index], acceptsCopies });
  if (way === "compared")
    return (
      <ComparedCopy
        batchId={again.batchId}
        position={again.index}
        name={item.name}
        onAccept={() => retry(true)}
      />
    );
  const words =
    way === "corrected" ? "Accepter et signer la copie corrigée" : "Réessayer ce document";
  return (
    <LinkAction
      onClick={() => retry(way === "corrected")}
      aria-label={`${words}\u00a0: ${item.name}`}
    >
      {words}
    </LinkAction>
  );
}

function ItemState({ status }: { readonly status: Item["status"] }) {
  switch (status) {
    case "done":
      return (
        <span className={styles["done"]}>
          <Icon name="check" />
          Signé
        </span>
      );
    case "failed":
      return (
        <span className={styles["failed"]}>
          <Icon name="alert" />
          Échec
        </span>
      );
    case "running":
      return <span className={styles["running"]}>En cours</span>;
    case "cancelled":
      return <span className="muted">Annulé</span>;
    case "queued":
      return <span className="muted">En file</span>;
  }
}

type BatchProgressProps = {
  readonly job: BatchJob;
  readonly first: Moment | null;
  readonly at: number;
  readonly isStopping: boolean;
  readonly onStop: () => void;
};

function BatchProgress({ job, first, at, isStopping, onStop }: BatchProgressProps) {
  const ended = job.items.filter(
    ({ status }) => status !== "queued" && status !== "running",
  ).length;
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

type BatchResultProps = {
  readonly job: BatchJob;
  readonly availableUntil: string | null;
  readonly isRetrying: boolean;
  readonly onRetry: (asked: BatchRetry) => void;
};

function BatchResult({ job, availableUntil, isRetrying, onRetry }: BatchResultProps) {
  const stoppedAt = job.items.flatMap(({ status }, index) =>
    status === "cancelled" ? [index] : [],
  );
  const stopped = stoppedAt.length;
  return (
    <main className="main main--form stack" id="contenu">
      <div className={`card card__body ${styles["summary"]}`}>
        <span
          className={styles["medal"]}
          data-tone={job.failed > 0 || stopped > 0 ? "partial" : "done"}
          aria-hidden="true"
        >
          <Icon name={job.failed > 0 || stopped > 0 ? "warning" : "check"} />
        </span>
        <div className="grow">
          <h1 className={styles["count"]} tabIndex={-1}>
            {`${plural(job.done, "document signé", "documents signés")} sur ${job.total}`}
          </h1>
          {availableUntil === null ? null : (
            <p className="muted">{`Archive disponible jusqu’au ${formatLongDay(availableUntil)}.`}</p>
          )}
        </div>
        {job.done > 0 ? (
          <Button variant="primary" size="lg" onClick={() => void downloadArchive(job.id)}>
            <Icon name="M4 4h16v5H4zM5.500 9v11h13V9M10 13h4" />
            Télécharger l’archive
          </Button>
        ) : null}
      </div>
      {job.failed > 0 ? (
        <Alert
          tone="danger"
          title={`${plural(job.failed, "document n’a pas pu être signé", "documents n’ont pas pu être signés")}.`}
        >
          <FailureActions job={job} isRetrying={isRetrying} onRetry={onRetry} />
        </Alert>
      ) : null}
      {stopped > 0 ? (
        <Alert
          tone="info"
          title={`${plural(stopped, "document arrêté", "documents arrêtés")} avant la signature.`}
        >
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

function FailureActions({ job, isRetrying, onRetry }: FailureActionsProps) {
  const again = positionsFor(job.items, "again").filter(
    (index) => job.items[index]?.status === "failed",
  );
  const corrected = positionsFor(job.items, "corrected");
  return (
    <div className="row">
      {again.length > 0 ? (
        <LinkAction onClick={() => onRetry({ items: again })} disabled={isRetrying}>
          {again.length > 1 ? `Réessayer les ${again.length} échecs` : "Réessayer ce document"}
        </LinkAction>
      ) : null}
      {corrected.length > 0 ? (
        <LinkAction
          onClick={() => onRetry({ items: corrected, acceptsCopies: true })}
          disabled={isRetrying}
        >
          {corrected.length > 1
            ? `Accepter et signer les ${corrected.length} copies corrigées`
            : "Accepter et signer la copie corrigée"}
        </LinkAction>
      ) : null}
      {positionsFor(job.items, "compared").length > 0 ? (
        <p>
          Là où la copie corrigée n’a pas le même aspect, comparez-la avec l’original, sous le nom
          du fichier, avant de l’accepter.
        </p>
      ) : again.length + corrected.length === 0 ? (
        <p>
          Corrigez ces fichiers comme il est dit sous leur nom, puis signez-les dans un autre lot.
        </p>
      ) : null}
    </div>
  );
}

/** Streams the archive to disk; the call before it renews the session. */
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

/** Third step, at the batch's own address: a reload finds it. */
export function BatchView({ id }: { readonly id: string }) {
  usePageTitle("Signature masse");
  const client = useQueryClient();
  const query = useBatchJob(id);
  const job = query.data;
  const show = (changed: BatchJob) => {
    client.setQueryData(batchKey(id), changed);
    void client.invalidateQueries({ queryKey: ["batches"] });
    void query.refetch();
  };
  const fail = (error: unknown) =>
    showToast("err", callMessage(error, "La demande n’a pas abouti. Réessayez dans un instant."));
  const cancel = useMutation({
    mutationFn: () => batchCalls.cancel(id),
    onSuccess: show,
    onError: fail,
  });
  const retry = useMutation({
    mutationFn: (asked: BatchRetry) => batchCalls.retry(id, asked),
    onSuccess: show,
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
        <BatchProgress
          job={job}
          first={first}
          at={query.dataUpdatedAt}
          isStopping={cancel.isPending}
          onStop={() => cancel.mutate()}
        />
      </>
    );
  }
  const ended = summary?.finished_at ?? null;
  return (
    <>
      <BatchBar
        subtitle={ended === null ? "Terminé" : `Terminé le ${formatInstant(ended)}`}
        step={3}
      />
      <BatchResult
        job={job}
        availableUntil={summary?.available_until ?? null}
        isRetrying={retry.isPending}
        onRetry={(asked) => retry.mutate(asked)}
      />
    </>
  );
}

/** The first progress this page saw: the pace is measured from it. */
function useFirstMoment(job: BatchJob | undefined, at: number): Moment | null {
  const first = useRef<Moment | null>(null);
  if (job && first.current === null && job.status === "running")
    first.current = { at, ended: countEnded(job) };
  return first.current;
}

function countEnded(job: BatchJob): number {
  return job.items.filter(({ status }) => status !== "queued" && status !== "running").length;
}

function useSummary(id: string, isWanted: boolean) {
  const [since] = useState(() => Date.now());
  const { data } = useQuery({
    queryKey: ["batches", id, since],
    queryFn: batchCalls.list,
    enabled: isWanted,
  });
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
        title={
          isGone ? "Ce lot n’existe plus." : callMessage(error, "Le lot n’a pas pu être chargé.")
        }
      >
        <div className="stack stack--sm">
          {isGone ? (
            <p>
              Une archive est gardée sept jours. Les documents signés restent dans
              «&nbsp;Complété(s)&nbsp;».
            </p>
          ) : null}
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
