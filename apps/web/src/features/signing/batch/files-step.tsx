import type { BatchSummary } from "@paraphe/contracts";
import { formatInstant } from "../../../lib/format/format-dates.ts";
import { formatFileSize, plural } from "../../../lib/format/format-numbers.ts";
import { usePageTitle } from "../../../ui/page-heading/page-heading.tsx";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Dropzone } from "../../../ui/dropzone/dropzone.tsx";
import { BottomDock, SideHeading } from "../../../ui/editor-frame/editor-frame.tsx";
import { FileItem } from "../../../ui/file-item/file-item.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { TextLink } from "../../../ui/link/link-action.tsx";
import { type BatchFile, groupFormats, pageFormat } from "./batch-file.ts";
import type { useBatchFiles } from "./use-batch-files.ts";
import styles from "./bulk.module.css";
import type { ReactNode } from "react";
import { StepBar } from "../../../ui/editor-frame/step-bar.tsx";

type FilesStepProps = {
  readonly chosen: ReturnType<typeof useBatchFiles>;
  readonly recent: readonly BatchSummary[];
  readonly onNext: () => void;
};

export function FilesStep({ chosen, recent, onNext }: FilesStepProps) {
  usePageTitle("Signature masse");
  const { files, ready, refused, isReading } = chosen;
  const isEmpty = files.length === 0;
  const next = (
    <Button variant="primary" blocked={ready.length === 0 || isReading} onClick={onNext}>
      Continuer
    </Button>
  );
  return (
    <>
      <BatchBar
        subtitle="Même signature, même position, sur tous les fichiers"
        step={0}
        actions={next}
      />
      <main className="main main--form stack" id="contenu">
        <h1 className="h1" tabIndex={-1}>
          Fichiers
        </h1>
        <Dropzone
          title={isEmpty ? "Déposez vos PDF ici" : "Ajoutez d’autres PDF"}
          hint={`10\u00a0Mo au maximum par fichier, 500 fichiers et 2\u00a0Go en tout`}
          accept="application/pdf,.pdf"
          multiple
          compact={!isEmpty}
          onFiles={chosen.add}
        />
        {isEmpty ? <RecentBatches recent={recent} /> : null}
        <RefusedFiles files={refused} onRemove={chosen.remove} />
        {ready.length > 0 ? (
          <p className="ink2 small" role="status">
            {groupFormats(ready.map((file) => file.state.first))
              .map(({ format, count }) => `${plural(count, "document")} ${format}`)
              .join(" · ")}
          </p>
        ) : null}
        <FileList
          files={files.filter((file) => file.state.kind !== "refused")}
          label="Fichiers à signer"
          onRemove={chosen.remove}
        />
      </main>
      <BottomDock place="window">
        <Button
          variant="primary"
          size="lg"
          block
          blocked={ready.length === 0 || isReading}
          onClick={onNext}
        >
          Continuer
        </Button>
      </BottomDock>
    </>
  );
}

type FileListProps = {
  readonly files: readonly BatchFile[];
  readonly label: string;
  readonly onRemove: (key: string) => void;
};

function RefusedFiles({ files, onRemove }: Omit<FileListProps, "label">) {
  if (files.length === 0) return null;
  return (
    <>
      <Alert
        tone="warning"
        title={`${plural(files.length, "fichier ne sera pas signé", "fichiers ne seront pas signés")}.`}
      >
        Les autres fichiers ne sont pas concernés.
      </Alert>
      <FileList files={files} label="Fichiers écartés" onRemove={onRemove} />
    </>
  );
}

function FileList({ files, label, onRemove }: FileListProps) {
  if (files.length === 0) return null;
  return (
    <ul className={styles["files"]} aria-label={label}>
      {files.map(({ key, file, state }) => (
        <FileItem
          key={key}
          name={file.name}
          meta={metaOf(state, file.size)}
          error={state.kind === "refused" ? state.reason : undefined}
          actions={
            <Button
              variant="ghost"
              size="sm"
              square
              aria-label={`Retirer le fichier ${file.name}`}
              onClick={() => onRemove(key)}
            >
              <Icon name="trash" />
            </Button>
          }
        />
      ))}
    </ul>
  );
}

function metaOf(state: BatchFile["state"], size: number): string {
  if (state.kind !== "ready") return state.kind === "reading" ? "Lecture…" : formatFileSize(size);
  return `${plural(state.pageCount, "page")}, ${pageFormat(state.first)}, ${formatFileSize(size)}`;
}

function RecentBatches({ recent }: { readonly recent: readonly BatchSummary[] }) {
  if (recent.length === 0) return null;
  return (
    <section className="stack stack--sm" aria-labelledby="lots-recents">
      <SideHeading id="lots-recents">Lots récents</SideHeading>
      <ul className={styles["recent"]}>
        {recent.map((batch) => (
          <li key={batch.id}>
            <TextLink to={`/signature/bulk-same?lot=${batch.id}`}>
              {batch.title ?? `Lot du ${formatInstant(batch.created_at)}`}
            </TextLink>
            <span className="muted small num">
              {`${plural(batch.done, "document signé", "documents signés")} sur ${batch.total}`}
              {batch.finished_at === null ? ", en cours" : ""}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const BATCH_STEPS = ["Fichiers", "Position", "Résultat"] as const;

type BatchBarProps = {
  readonly subtitle: ReactNode;
  /** From 0; the number of steps once all are done. */
  readonly step: number;
  readonly onStep?: (index: number) => void;
  /** For wide screens; small ones have them in the dock. */
  readonly actions?: ReactNode;
};

export function BatchBar({ subtitle, step, onStep, actions }: BatchBarProps) {
  return (
    <StepBar
      label="Signature masse"
      leave={{ to: "/dashboard", label: "Quitter" }}
      title="Signature masse"
      note={<small className="truncate">{subtitle}</small>}
      steps={{ steps: BATCH_STEPS, current: step, ...(onStep ? { onSelect: onStep } : {}) }}
      buttons={actions}
    />
  );
}
