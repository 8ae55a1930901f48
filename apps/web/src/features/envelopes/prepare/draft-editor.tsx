import type { Envelope } from "@paraphe/contracts";
import { useEffect, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { callMessage } from "../../../lib/api/api-error.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import type { DraftKeeper } from "./draft/draft-keeper.ts";
import { DraftStep, LaterNoEditor, LaterConflictBanner, LaterLeaveGuard } from "./draft-step.tsx";
import { type Draft, signs } from "./draft/draft.ts";
import { EditBar, type StepActions } from "./fields/edit-bar.tsx";
import { envelopeCalls } from "./draft/envelope-calls.ts";
import { isRefused } from "./draft/left-drafts.ts";
import { refusalsOf, refusedFindings } from "./draft/refusals.ts";
import {
  type Steps,
  reachedStep,
  stepFault,
  useAwaitedStep,
  useRewind,
  useSteps,
  useUnfinishedSteps,
} from "./use-steps.ts";
import { PREPARE_STEPS } from "./steps.ts";
import { useDraft } from "./draft/use-draft.ts";
import { countOnTheirWay, useUploads } from "./documents/use-uploads.ts";
import styles from "./draft-editor.module.css";

/** `null` takes no file, and keeps the browser from opening one. */
function useDroppedFiles(onFiles: ((files: readonly File[]) => void) | null): void {
  useEffect(() => {
    const acceptFiles = (event: DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return null;
      event.preventDefault();
      return event.dataTransfer;
    };
    const over = (event: DragEvent) => {
      const files = acceptFiles(event);
      if (files) files.dropEffect = onFiles ? "copy" : "none";
    };
    const drop = (event: DragEvent) => {
      const files = [...(acceptFiles(event)?.files ?? [])];
      if (files.length > 0) onFiles?.(files);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", drop);
    };
  }, [onFiles]);
}

/** Saves, then sends once: the same key makes a second press harmless. */
function useSending(keeper: DraftKeeper) {
  const [isBusy, setIsBusy] = useState(false);
  const [sentId, setSentId] = useState<string | null>(null);
  useRewind(sentId === null ? null : `/signature/detail/${sentId}`);
  const [key] = useState(() => crypto.randomUUID());
  const send = async () => {
    if (isBusy) return;
    setIsBusy(true);
    try {
      // Before sending: nothing may fail after it.
      const { sentWords } = await import("../reached-words.ts");
      const isSaved = await keeper.flush();
      const { envelope } = keeper.state();
      if (!isSaved || !envelope) {
        showToast("err", "L’enveloppe n’a pas pu être enregistrée : elle n’est pas envoyée.");
        return;
      }
      // The key includes the version, because sending after a change is another request.
      const sent = await keeper.exclusively(() =>
        envelopeCalls.send(envelope, `${key}-${envelope.version}`),
      );
      const { title, detail } = sentWords(sent);
      showToast("ok", title, { detail });
      setSentId(envelope.id);
    } catch (error) {
      showToast(
        "err",
        callMessage(error, "Impossible d’envoyer l’enveloppe. Réessayez dans un instant."),
      );
    } finally {
      setIsBusy(false);
    }
  };
  return { send, isBusy, sentId };
}

type Now = {
  readonly draft: Draft;
  /** What the step lacks; null when the next one may open. */
  readonly fault: string | null;
  /** The next step opens once the files have arrived. */
  readonly isAwaited: boolean;
  readonly isBlocked: boolean;
  readonly sending: ReturnType<typeof useSending>;
};

function stepActions(
  steps: Steps,
  { draft, fault, isAwaited, isBlocked, sending }: Now,
): StepActions {
  const { step, index } = steps;
  const isLast = step === "send";
  const signers = draft.recipients.filter(signs).length;
  const hasVisa = draft.recipients.some(({ role }) => role === "visa");
  const toSigners = `Envoyer à ${signers} signataire${signers > 1 ? "s" : ""}`;
  const send = () => {
    if (!isBlocked) void sending.send();
  };
  return {
    back: index > 0 ? () => steps.goTo(PREPARE_STEPS[index - 1]?.step ?? "documents") : null,
    next: isLast ? send : () => steps.choose(index + 1, fault),
    nextLabel: isLast ? "Envoyer" : "Continuer",
    dockLabel: isLast ? (hasVisa ? "Envoyer" : toSigners) : "Continuer",
    note: isAwaited && fault !== null ? `${fault} L’étape suivante s’ouvrira ensuite.` : null,
    isBlocked: isLast && isBlocked,
    isBusy: sending.isBusy,
  };
}

type DraftEditorProps = {
  readonly initial: Envelope | null;
  readonly onCreated: (id: string) => void;
};

export function DraftEditor({ initial, onCreated }: DraftEditorProps) {
  const { keeper, state, owner } = useDraft(initial);
  const uploads = useUploads(keeper, owner);
  const steps = useSteps(keeper, state.envelope !== null);
  const sending = useSending(keeper);
  // Blocked until the last step has checked the draft.
  const [isBlocked, onChecked] = useState(true);
  const { envelope, draft, status } = state;
  const { step, index } = steps;
  useOwnAddress(initial ? null : (envelope?.id ?? null), onCreated);
  useDroppedFiles(step === "documents" ? uploads.add : null);

  const documents = envelope?.documents ?? NO_DOCUMENTS;
  const unfinished = useUnfinishedSteps(draft, documents);
  const refused = refusalsOf(status);
  const at = new Date();
  const fault = stepFault(step, { draft, documents, isUploading: uploads.isBusy, refused, at });
  const sendingFiles = countOnTheirWay(uploads.items);
  const { choose, isAwaited } = useAwaitedStep(steps, {
    fault,
    refusedFiles: uploads.items.length - sendingFiles,
    isAddressed: useParams()["id"] === envelope?.id,
  });

  if (status.kind === "sent" && envelope && sending.sentId === null)
    return <LaterNoEditor envelope={envelope} />;

  const refusals = refusedFindings(refused, draft);
  const actions = stepActions(
    { ...steps, choose },
    { draft, fault, isAwaited, isBlocked, sending },
  );
  return (
    <div className={styles.editor} data-step={step}>
      <div className={styles.head}>
        <EditBar
          title={draft.title}
          status={status}
          sending={sendingFiles}
          step={index}
          reached={openableStep(steps.visited, draft, documents, at)}
          unfinished={unfinished}
          onStep={(target) => choose(target, fault)}
          onRetry={() => void keeper.flush()}
          actions={actions}
        />
        {/* No conflict can arise before the service has the draft. */}
        {envelope !== null || status.kind === "failed" ? (
          <LaterConflictBanner
            {...{ status, keeper, opened: initial, refused: refusals }}
            onFix={steps.fix}
          />
        ) : null}
      </div>
      <LaterLeaveGuard
        dirty={isRefused(status)}
        message={"Le service a refusé vos dernières modifications\u00a0: elles seront perdues."}
        confirmLabel="Quitter sans enregistrer"
      />
      <DraftStep {...{ state, keeper, steps, uploads, actions, onChecked }} refused={refusals} />
    </div>
  );
}

const NO_DOCUMENTS: Envelope["documents"] = [];

function openableStep(
  visited: number,
  draft: Draft,
  documents: Envelope["documents"],
  at: Date,
): number {
  return documents.length === 0 ? 0 : Math.max(visited, reachedStep(draft, documents, at));
}

function useOwnAddress(createdId: string | null, onCreated: (id: string) => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (!createdId) return;
    onCreated(createdId);
    void navigate(`/signature/workflow/${createdId}`, { replace: true });
  }, [createdId, onCreated, navigate]);
}
