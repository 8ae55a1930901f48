import type { Envelope } from "@paraphe/contracts";
import { lazy, Suspense, useEffect, useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { callMessage } from "../../lib/call-message.ts";
import { FullLoader } from "../../ui/full-loader/full-loader.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { LeaveGuard } from "../settings/leave-guard.tsx";
import { coveredPlaces } from "./covered-places.ts";
import { ConflictBanner } from "./conflict-banner.tsx";
import { DocumentsStep } from "./documents-step.tsx";
import styles from "./draft-editor.module.css";
import { EditBar } from "./edit-bar.tsx";
import { envelopeCalls } from "./envelope-calls.ts";
import { AlreadySent } from "./already-sent.tsx";
import { isRefused } from "./left-drafts.ts";
import { type Aim, checkBeforeSending, type SendFinding } from "./send-check.ts";
import { reachedStep } from "./reached-step.ts";
import { refusalsOf } from "./refusals.ts";
import { PREPARE_STEPS, type PrepareStep, slugOfStep, stepOfSlug } from "./steps.ts";
import { stepFault } from "./step-fault.ts";
import { useDraft } from "./use-draft.ts";
import { useDroppedFiles } from "./use-dropped-files.ts";
import { stepDepth, useRewind } from "./use-rewind.ts";
import { useUploads } from "./use-uploads.ts";

/** Each step but the first is a file of its own, fetched while the one before it is filled. */
const loadRecipientsStep = async () => ({ default: (await import("./recipients-step.tsx")).RecipientsStep });
const loadFieldsStep = async () => ({ default: (await import("./fields-step.tsx")).FieldsStep });
const loadSendStep = async () => ({ default: (await import("./send-step.tsx")).SendStep });
const RecipientsStep = lazy(loadRecipientsStep);
const FieldsStep = lazy(loadFieldsStep);
const SendStep = lazy(loadSendStep);

type DraftEditorProps = { readonly initial: Envelope | null; readonly onCreated: (id: string) => void };

/** The editor of one envelope: bar, four steps, dock on a small screen. */
export function DraftEditor({ initial, onCreated }: DraftEditorProps) {
  const { keeper, state } = useDraft(initial);
  const uploads = useUploads(keeper);
  const [search, setSearch] = useSearchParams();
  const location = useLocation();
  const navigate = useNavigate();
  const [showFaults, setShowFaults] = useState(false);
  const [visited, setVisited] = useState(0);
  const [aim, setAim] = useState<Aim>({});
  const sending = useSending(keeper);
  const { envelope, draft, status } = state;
  const documents = envelope?.documents ?? [];
  // Without a document there is nothing to send nor to place a field on.
  const step: PrepareStep = envelope ? stepOfSlug(search.get("etape")) : "documents";
  const index = PREPARE_STEPS.findIndex((entry) => entry.step === step);
  const createdId = initial ? null : (envelope?.id ?? null);

  const hasFiles = documents.length > 0 || uploads.isBusy;
  useEffect(() => setVisited((furthest) => Math.max(furthest, index)), [index]);
  useEffect(() => {
    // A first screen without a file leads nowhere yet. A failure is said by the step itself, once it is asked for.
    const next = { documents: hasFiles ? loadRecipientsStep : null, recipients: loadFieldsStep, fields: loadSendStep, send: null }[step];
    next?.().catch(() => undefined);
  }, [step, hasFiles]);
  useDroppedFiles(step === "documents" ? uploads.add : null);

  useEffect(() => {
    if (!createdId) return;
    onCreated(createdId);
    void navigate(`/signature/workflow/${createdId}`, { replace: true });
  }, [createdId, onCreated, navigate]);

  if (status.kind === "sent" && envelope && sending.sentId === null) return <AlreadySent envelope={envelope} />;

  const goTo = (target: PrepareStep, at: Aim = {}) => {
    void keeper.flush();
    setAim(at);
    setShowFaults(target === "recipients" && at.recipient !== undefined);
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        after.set("etape", slugOfStep(target));
        return after;
      },
      { state: { stepDepth: stepDepth(location.state) + 1 } },
    );
    window.scrollTo(0, 0);
  };
  const now = new Date();
  const fault = stepFault(step, { draft, documents, isUploading: uploads.isBusy, refused: refusalsOf(status), at: now });
  const findings: readonly SendFinding[] = [
    ...checkBeforeSending(draft, documents, now),
    ...coveredPlaces(draft, documents, envelope?.warnings).map((place) => ({ kind: "warning", step: "fields", ...place }) as const),
  ];
  const isBlocked = findings.some((finding) => finding.kind === "blocking");
  const stop = () => {
    setShowFaults(true);
    // The faults are said by the step's next drawing.
    requestAnimationFrame(() => document.querySelector<HTMLElement>("#contenu [aria-invalid]")?.focus());
  };
  const choose = (target: number) => {
    if (target > index && fault) stop();
    else goTo(PREPARE_STEPS[target]?.step ?? "documents");
  };
  const goOn = () => {
    if (step === "send") {
      if (!isBlocked) void sending.send();
      return;
    }
    if (fault) stop();
    else goTo(PREPARE_STEPS[index + 1]?.step ?? "send");
  };
  const signers = draft.recipients.filter((row) => row.role !== "viewer").length;
  const actions = {
    back: index > 0 ? () => goTo(PREPARE_STEPS[index - 1]?.step ?? "documents") : null,
    next: goOn,
    nextLabel: step === "send" ? "Envoyer" : "Continuer",
    dockLabel: step === "send" ? `Envoyer à ${signers} signataire${signers > 1 ? "s" : ""}` : "Continuer",
    isBlocked: step === "send" && isBlocked,
    isBusy: sending.isBusy,
  };
  const parts = { draft, keeper, documents, showFaults };
  return (
    <div className={styles.editor} data-step={step}>
      <EditBar
        title={draft.title}
        status={status}
        step={index}
        reached={documents.length === 0 ? 0 : Math.max(visited, reachedStep(draft, documents, now))}
        onStep={choose}
        onRetry={() => void keeper.flush()}
        actions={actions}
      />
      <ConflictBanner status={status} keeper={keeper} />
      <LeaveGuard
        dirty={isRefused(status)}
        message={"Le service a refusé vos dernières modifications\u00a0: elles seront perdues."}
        confirmLabel="Quitter sans enregistrer"
      />
      {step === "documents" ? <DocumentsStep {...parts} uploads={uploads} /> : null}
      <Suspense fallback={<FullLoader label={step === "fields" ? "Ouverture des pages" : "Chargement de l’étape"} />}>
        {step === "recipients" ? <RecipientsStep {...parts} aim={aim.recipient ?? null} /> : null}
        {step === "fields" && envelope ? (
          <FieldsStep {...parts} {...{ aim }} envelopeId={envelope.id} actions={actions} onAddRecipient={() => goTo("recipients")} />
        ) : null}
        {step === "send" && envelope ? <SendStep {...{ envelope, keeper, draft, documents, findings }} onEdit={goTo} /> : null}
      </Suspense>
    </div>
  );
}

/** Sends the envelope once: everything typed is saved first; the same key makes a second press harmless. */
function useSending(keeper: ReturnType<typeof useDraft>["keeper"]) {
  const [isBusy, setIsBusy] = useState(false);
  const [sentId, setSentId] = useState<string | null>(null);
  useRewind(sentId === null ? null : `/signature/detail/${sentId}`);
  const [key] = useState(() => crypto.randomUUID());
  const send = async () => {
    if (isBusy) return;
    setIsBusy(true);
    try {
      const isSaved = await keeper.flush();
      const { envelope } = keeper.state();
      if (!isSaved || !envelope) {
        showToast("err", "L’enveloppe n’a pas pu être enregistrée : elle n’est pas envoyée.");
        return;
      }
      // The version in the key: after a change and a refused sending, it is another request. The keeper says what another page did meanwhile.
      await keeper.exclusively(() => envelopeCalls.send(envelope, `${key}-${envelope.version}`));
      showToast("ok", "Enveloppe envoyée.");
      setSentId(envelope.id);
    } catch (error) {
      showToast("err", callMessage(error, "Impossible d’envoyer l’enveloppe. Réessayez dans un instant."));
    } finally {
      setIsBusy(false);
    }
  };
  return { send, isBusy, sentId };
}
