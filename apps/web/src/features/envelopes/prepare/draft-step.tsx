import { useEffect } from "react";
import { lazyPart, lazyStep } from "../../../ui/lazy-step/lazy-step.tsx";
import { DocumentsStep } from "./documents/documents-step.tsx";
import type { Uploads } from "./documents/use-uploads.ts";
import type { DraftKeeper } from "./draft/draft-keeper.ts";
import type { DraftState } from "./draft/draft.ts";
import { FieldsSkeleton } from "./editor-skeleton.tsx";
import type { StepActions } from "./fields/edit-bar.tsx";
import type { SendFinding } from "./sending/send-check.ts";
import { PREPARE_STEPS, type PrepareStep } from "./steps.ts";
import type { Steps } from "./use-steps.ts";

/** Each step but the first is a chunk. */
const RecipientsStep = lazyStep(
  async () => (await import("./recipients/recipients-step.tsx")).RecipientsStep,
  "Chargement de l’étape",
);
const FieldsStep = lazyStep(
  async () => (await import("./fields/fields-step.tsx")).FieldsStep,
  <FieldsSkeleton />,
);
const SendStep = lazyStep(
  async () => (await import("./sending/send-step.tsx")).SendStep,
  "Chargement de l’étape",
);

const LATER_STEPS = {
  documents: null,
  recipients: RecipientsStep,
  fields: FieldsStep,
  send: SendStep,
};

export function preloadStep(step: PrepareStep): void {
  LATER_STEPS[step]?.preload();
}

type DraftStepProps = {
  readonly state: DraftState;
  readonly keeper: DraftKeeper;
  readonly steps: Steps;
  readonly uploads: Uploads;
  readonly actions: StepActions;
  readonly refused: readonly SendFinding[];
  readonly onChecked: (isBlocked: boolean) => void;
};

export function DraftStep({
  state,
  keeper,
  steps,
  uploads,
  actions,
  refused,
  onChecked,
}: DraftStepProps) {
  const { envelope, draft } = state;
  const { step, aim, showFaults, goTo } = steps;
  const documents = envelope?.documents ?? [];
  usePreload(step, documents.length > 0 || uploads.isBusy);
  const parts = { draft, keeper, documents, showFaults };
  if (step === "documents" || !envelope) return <DocumentsStep {...parts} uploads={uploads} />;
  if (step === "recipients") return <RecipientsStep {...parts} aim={aim.recipient ?? null} />;
  if (step === "send")
    return (
      <SendStep {...{ envelope, keeper, draft, documents, refused, onChecked }} onEdit={goTo} />
    );
  return (
    <FieldsStep
      {...parts}
      {...{ aim, actions }}
      envelopeId={envelope.id}
      onAddRecipient={() => goTo("recipients")}
    />
  );
}

/** Waits, so that the open step's own requests come first. */
const NEXT_STEP_MS = 1_500;

/** The step itself shows a failure to load. */
function usePreload(step: PrepareStep, hasFiles: boolean): void {
  useEffect(() => {
    const next = PREPARE_STEPS[PREPARE_STEPS.findIndex((entry) => entry.step === step) + 1];
    if (!next || (step === "documents" && !hasFiles)) return undefined;
    const timer = setTimeout(() => preloadStep(next.step), NEXT_STEP_MS);
    return () => clearTimeout(timer);
  }, [step, hasFiles]);
}

/** In a chunk of its own: few drafts need it. */
const load = () => import("./draft/conflict-banner.tsx");
export const LaterNoEditor = lazyStep(
  async () => (await load()).NoEditor,
  "Ouverture de l’enveloppe",
);
export const LaterConflictBanner = lazyPart(async () => (await load()).ConflictBanner, null);
export const LaterLeaveGuard = lazyPart(
  async () => (await import("../../accounts/settings/leave-guard.tsx")).LeaveGuard,
  null,
);
