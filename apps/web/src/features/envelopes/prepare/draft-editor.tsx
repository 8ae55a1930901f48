import type { Envelope } from "@paraphe/contracts";
import { useEffect, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { LeaveGuard } from "../../accounts/settings/leave-guard.tsx";
import styles from "./draft-editor.module.css";
import { DraftStep } from "./draft-step.tsx";
import { EditBar } from "./edit-bar.tsx";
import { LaterAlreadySent, LaterConflictBanner } from "./later-parts.ts";
import { isRefused } from "./left-drafts.ts";
import { reachedStep } from "./reached-step.ts";
import { refusalsOf, refusedFindings } from "./refusals.ts";
import { stepActions } from "./step-actions.ts";
import { stepFault } from "./step-fault.ts";
import { useAwaitedStep } from "./use-awaited-step.ts";
import { useDraft } from "./use-draft.ts";
import { useDroppedFiles } from "./use-dropped-files.ts";
import { useSending } from "./use-sending.ts";
import { useSteps } from "./use-steps.ts";
import { useUnfinishedSteps } from "./use-unfinished-steps.ts";
import { countOnTheirWay, useUploads } from "./use-uploads.ts";

type DraftEditorProps = { readonly initial: Envelope | null; readonly onCreated: (id: string) => void };

/** The editor of one envelope: bar, four steps, dock on a small screen. */
export function DraftEditor({ initial, onCreated }: DraftEditorProps) {
  const { keeper, state, owner } = useDraft(initial);
  const uploads = useUploads(keeper, owner);
  const steps = useSteps(keeper, state.envelope !== null);
  const sending = useSending(keeper);
  // The last step checks what is to be sent: until it has, nothing is.
  const [isBlocked, setIsBlocked] = useState(true);
  const { envelope, draft, status } = state;
  const { step, index } = steps;
  useOwnAddress(initial ? null : (envelope?.id ?? null), onCreated);
  useDroppedFiles(step === "documents" ? uploads.add : null);

  const now = new Date();
  const documents = envelope?.documents ?? NO_DOCUMENTS;
  const unfinished = useUnfinishedSteps(draft, documents);
  const refused = refusalsOf(status);
  const fault = stepFault(step, { draft, documents, isUploading: uploads.isBusy, refused, at: now });
  const sendingFiles = countOnTheirWay(uploads.items);
  const { choose, isAwaited } = useAwaitedStep(steps, {
    fault,
    refusedFiles: uploads.items.length - sendingFiles,
    isAddressed: useParams()["id"] === envelope?.id,
  });

  if (status.kind === "sent" && envelope && sending.sentId === null) return <LaterAlreadySent envelope={envelope} />;

  const refusals = refusedFindings(refused, draft);
  const actions = stepActions({ ...steps, choose }, { draft, fault, isAwaited, isBlocked, sending });
  return (
    <div className={styles.editor} data-step={step}>
      <div className={styles.head}>
        <EditBar
          title={draft.title}
          status={status}
          sending={sendingFiles}
          step={index}
          reached={documents.length === 0 ? 0 : Math.max(steps.visited, reachedStep(draft, documents, now))}
          unfinished={unfinished}
          onStep={(target) => choose(target, fault)}
          onRetry={() => void keeper.flush()}
          actions={actions}
        />
        {/* Nothing stands against a draft that the service does not have yet. */}
        {envelope !== null || status.kind === "failed" ? (
          <LaterConflictBanner status={status} keeper={keeper} refused={refusals} onFix={steps.fix} />
        ) : null}
      </div>
      <LeaveGuard
        dirty={isRefused(status)}
        message={"Le service a refusé vos dernières modifications\u00a0: elles seront perdues."}
        confirmLabel="Quitter sans enregistrer"
      />
      <DraftStep {...{ state, keeper, steps, uploads, actions }} refused={refusals} onChecked={setIsBlocked} />
    </div>
  );
}

const NO_DOCUMENTS: Envelope["documents"] = [];

/** Puts a draft's own address in the bar once its first file has made it. */
function useOwnAddress(createdId: string | null, onCreated: (id: string) => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (!createdId) return;
    onCreated(createdId);
    void navigate(`/signature/workflow/${createdId}`, { replace: true });
  }, [createdId, onCreated, navigate]);
}
