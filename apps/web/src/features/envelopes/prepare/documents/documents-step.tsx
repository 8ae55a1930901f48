import { type Document, MAX_FILE_SIZE_BYTES, titleFault } from "@paraphe/contracts";
import { addDays } from "@paraphe/kernel/paris-days";
import { type ComponentProps, lazy, Suspense, useEffect, useId, useRef, useState } from "react";
import { parisDay } from "../../../../lib/format/format-dates.ts";
import { formatFileSize, formatSizeOver, plural } from "../../../../lib/format/format-numbers.ts";
import { useServiceRules } from "../../../../lib/api/service-rules.ts";
import { Button } from "../../../../ui/button/button.tsx";
import { LinkButton } from "../../../../ui/button/link-button.tsx";
import { DateField } from "../../../../ui/date-field/date-field.tsx";
import { lazyDialog } from "../../../../ui/dialog/lazy-dialog.tsx";
import { Dropzone } from "../../../../ui/dropzone/dropzone.tsx";
import { SideHeading } from "../../../../ui/editor-frame/editor-frame.tsx";
import { RequiredNote, TextField } from "../../../../ui/field/field.tsx";
import { FileItem } from "../../../../ui/file-item/file-item.tsx";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../../ui/page-heading/page-heading.tsx";
import { Segmented } from "../../../../ui/segmented/segmented.tsx";
import { useTeams } from "../../../accounts/use-session.ts";
import { showToast } from "../../../../ui/toast/toast-store.ts";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import type { Draft } from "../draft/draft.ts";
import { envelopeCalls } from "../draft/envelope-calls.ts";
import { refusalOf, refusalsOf } from "../draft/refusals.ts";
import styles from "../step.module.css";
import { deadlineFault, deadlineWarning, lastDeadlineDay } from "./deadline.ts";
import { DocumentRow, changeFiles, useFileOrder } from "./document-row.tsx";
import { ReminderSelect } from "./reminder-select.tsx";
import type { UploadItem, Uploads } from "./use-uploads.ts";

function usePastedFiles(onFiles: (files: readonly File[]) => void): void {
  useEffect(() => {
    const take = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length > 0) onFiles(files);
    };
    document.addEventListener("paste", take);
    return () => document.removeEventListener("paste", take);
  }, [onFiles]);
}

type UploadRowProps = {
  readonly item: UploadItem;
  readonly onRetry: () => void;
  readonly onRemove: () => void;
};

function UploadRow({ item, onRetry, onRemove }: UploadRowProps) {
  const row = useRef<HTMLLIElement>(null);
  const isRefused = item.error !== null;
  // On a phone the row may lie below the bar at the bottom.
  useEffect(() => {
    if (isRefused) row.current?.scrollIntoView?.({ block: "nearest" });
  }, [isRefused]);
  return (
    <FileItem
      ref={row}
      name={item.name}
      meta={uploadText(item)}
      error={item.error ?? undefined}
      progress={
        item.state === "sending" || item.state === "checking"
          ? item.sentBytes / Math.max(item.size, 1)
          : undefined
      }
      actions={
        <>
          {item.again === "never" ? null : (
            <Button size="sm" aria-label={`Réessayer ${item.name}`} onClick={onRetry}>
              Réessayer
            </Button>
          )}
          <Button
            variant="ghost"
            size="sm"
            square
            aria-label={
              item.state === "refused" ? `Retirer ${item.name}` : `Annuler l’ajout de ${item.name}`
            }
            onClick={onRemove}
          >
            <Icon name="close" />
          </Button>
        </>
      }
    />
  );
}

function uploadText(item: UploadItem): string {
  if (item.state === "queued") return "En attente";
  if (item.state === "checking") return "Contrôle…";
  if (item.state === "refused") return formatSizeOver(item.size, MAX_FILE_SIZE_BYTES);
  return `${formatFileSize(item.sentBytes)} sur ${formatFileSize(item.size)}`;
}

const RenameFileDialog = lazyDialog(
  async () => (await import("./rename-file-dialog.tsx")).RenameFileDialog,
);

type DocumentsStepProps = {
  readonly draft: Draft;
  readonly keeper: DraftKeeper;
  readonly documents: readonly Document[];
  readonly showFaults: boolean;
  readonly uploads: Uploads;
};

export function DocumentsStep(props: DocumentsStepProps) {
  const { draft, keeper, documents, showFaults, uploads } = props;
  const { mail } = useServiceRules();
  const { status } = keeper.state();
  // The service's refusal stands at its field until the next change.
  const refused = refusalsOf(status);
  usePastedFiles(uploads.add);
  const [renamedId, setRenamedId] = useState<string | null>(null);
  const renamed = documents.find((document) => document.id === renamedId);
  const isTitleAsked = showFaults || documents.length > 0 || draft.title.trim() !== "";
  const hasNothing = documents.length === 0 && uploads.items.length === 0;
  return (
    <main className={`main main--form ${styles.step}`} id="contenu">
      <PageHeading title="Demander une signature" className={styles.heading ?? ""}>
        Documents
      </PageHeading>
      <div className="stack stack--lg">
        <RequiredNote fields="most" />
        {hasNothing ? <FromTemplate /> : null}
        <TextField
          label="Titre de l’enveloppe"
          required
          help={`Visible par tous les signataires${mail ? ", y compris dans les emails" : ""}.`}
          value={draft.title}
          maxLength={200}
          onChange={(event) => keeper.update("title", { title: event.target.value })}
          onBlur={() => void keeper.flush()}
          error={(isTitleAsked ? titleFault(draft.title) : null) ?? refused["title"]?.[0]}
        />
        <SenderTeam
          value={draft.team}
          error={refused["team"]?.[0]}
          onChange={(team) => keeper.update("team", { team })}
        />
        <FilesSection
          {...{ keeper, documents, uploads }}
          isMissed={showFaults && hasNothing}
          onRename={setRenamedId}
        />
        <div className={styles.halves}>
          <DeadlineField
            value={draft.deadline}
            now={new Date()}
            refused={refused["deadline_at"]?.[0]}
            onChange={(deadline) => keeper.update("deadline", { deadline })}
          />
          <ReminderSelect
            value={draft.remindEveryDays}
            refused={refusalOf(refused, "reminders")}
            onChange={(remindEveryDays) => keeper.update("remindEveryDays", { remindEveryDays })}
          />
        </div>
      </div>
      {renamed ? (
        <RenameFileDialog document={renamed} keeper={keeper} onClose={() => setRenamedId(null)} />
      ) : null}
    </main>
  );
}

const SenderTeamField = lazy(async () => ({
  default: (await import("../../../accounts/team-field.tsx")).SenderTeamField,
}));

function SenderTeam(props: ComponentProps<typeof SenderTeamField>) {
  return (
    useTeams().length > 0 && (
      <Suspense fallback={null}>
        <SenderTeamField {...props} />
      </Suspense>
    )
  );
}

function FromTemplate() {
  return (
    <div>
      <LinkButton to="/signature/templates">
        <Icon name="copy" size="sm" />
        Partir d’un modèle
      </LinkButton>
    </div>
  );
}

const UNCHANGED = "Impossible de modifier les fichiers.";

function fileChanges(keeper: DraftKeeper) {
  const accept = (id: string) =>
    changeFiles(keeper, {
      make: (envelope) => envelopeCalls.patch(envelope, { accept_normalised: [id] }),
      failure: UNCHANGED,
    });
  const remove = ({ id, name }: Document) =>
    changeFiles(keeper, {
      async make(envelope) {
        const { fields } = keeper.state().draft;
        const lost = fields.filter(({ documentId }) => documentId === id).length;
        const changed = await envelopeCalls.patch(envelope, { remove_documents: [id] });
        showToast("info", `${name} retiré${lost > 0 ? `, avec ${plural(lost, "champ")}` : ""}`);
        return changed;
      },
      failure: UNCHANGED,
    });
  return { accept, remove };
}

type FilesSectionProps = Pick<DocumentsStepProps, "keeper" | "documents" | "uploads"> & {
  /** A file was expected, and there is none. */
  readonly isMissed: boolean;
  readonly onRename: (id: string) => void;
};

function FilesSection({ keeper, documents, uploads, isMissed, onRename }: FilesSectionProps) {
  const title = useId();
  const { drag, grab, step } = useFileOrder(keeper);
  const { accept, remove } = fileChanges(keeper);
  return (
    <section className="stack" aria-labelledby={title}>
      <SideHeading id={title}>Fichiers PDF</SideHeading>
      <Dropzone
        title="Déposez vos PDF ici"
        overTitle="Relâchez pour ajouter les fichiers"
        hint={"PDF uniquement, 10\u00a0Mo au maximum par fichier"}
        accept=".pdf,application/pdf"
        multiple
        onFiles={(files) => uploads.add(files)}
      />
      {isMissed ? (
        <p className={styles.error} role="alert">
          <Icon name="alert" size="sm" />
          Au moins un fichier
        </p>
      ) : null}
      <ul className={styles.files}>
        {documents.map((document, index) => (
          <DocumentRow
            key={document.id}
            document={document}
            envelopeId={keeper.state().envelope?.id ?? ""}
            index={index}
            count={documents.length}
            landing={drag?.place?.id === document.id ? drag.place.where : null}
            isDragged={drag?.key === document.id}
            onGrab={(event) => grab(document.id, event)}
            onStep={(direction) => step(document.id, direction)}
            onAccept={() => accept(document.id)}
            onRename={() => onRename(document.id)}
            onRemove={() => remove(document)}
            onReplace={(files) => uploads.add(files.slice(0, 1), document.id)}
          />
        ))}
        {uploads.items.map((item) => (
          <UploadRow
            key={item.key}
            item={item}
            onRetry={() => uploads.retry(item.key)}
            onRemove={() => uploads.remove(item.key)}
          />
        ))}
      </ul>
    </section>
  );
}

type DeadlineFieldProps = {
  /** Calendar day, empty for none. */
  readonly value: string;
  readonly now: Date;
  readonly refused: string | undefined;
  readonly onChange: (day: string) => void;
};

const SHORTCUTS = [7, 14, 30] as const;

function DeadlineField({ value, now, refused, onChange }: DeadlineFieldProps) {
  const today = parisDay(now);
  const choices = [
    { value: "", label: "Aucune" },
    ...SHORTCUTS.map((days) => ({ value: addDays(today, days), label: `${days}\u00a0jours` })),
  ];
  return (
    <div className={styles.deadline}>
      <DateField
        label="Échéance"
        optional
        shortYear
        help="Passée cette date, le lien de signature se ferme."
        min={today}
        max={lastDeadlineDay(now)}
        value={value}
        onChange={onChange}
        error={deadlineFault(value, now) ?? refused}
        warning={deadlineWarning(value)}
      />
      <Segmented label="Échéance dans" value={value} options={choices} onChange={onChange} />
    </div>
  );
}
