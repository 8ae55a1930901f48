import { type Document, MAX_RECIPIENTS, titleFault } from "@paraphe/contracts";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { deadlineFault } from "./documents/deadline.ts";
import type { DraftKeeper } from "./draft/draft-keeper.ts";
import { type Draft, canSaveRecipients, isBlankRecipient } from "./draft/draft.ts";
import { type Refusals, refusalOf } from "./draft/refusals.ts";
import type { Aim, SendFinding, unfinishedSteps } from "./sending/send-check.ts";
import { PREPARE_STEPS, type PrepareStep, slugOfStep, stepOfSlug } from "./steps.ts";

/** The history state counts the entries since the first step. */
const stepDepth = (state: unknown): number =>
  typeof state === "object" &&
  state !== null &&
  "stepDepth" in state &&
  typeof state.stepDepth === "number"
    ? state.stepDepth
    : 0;

/** `target` replaces the first entry: Back leads to where the preparation was opened. */
export function useRewind(target: string | null): void {
  const navigate = useNavigate();
  const depth = stepDepth(useLocation().state);
  const gone = useRef<number | null>(null);
  useEffect(() => {
    if (target === null || gone.current === depth) return;
    gone.current = depth;
    if (depth > 0) void navigate(-depth);
    else void navigate(target, { replace: true });
  }, [target, depth, navigate]);
}

/** The furthest step: files, then people, then fields must be there. */
export function reachedStep(draft: Draft, documents: readonly Document[], at: Date): number {
  const now = { draft, documents, isUploading: false, refused: {}, at };
  if (stepFault("documents", now) !== null || stepFault("recipients", now) !== null) return 0;
  return draft.fields.length > 0 ? 3 : 2;
}

export type Steps = ReturnType<typeof useSteps>;

/** Without an envelope there is nothing to send, nor a place for fields. */
export function useSteps(keeper: DraftKeeper, hasEnvelope: boolean) {
  const [search, setSearch] = useSearchParams();
  const location = useLocation();
  const [showFaults, setShowFaults] = useState(false);
  const [visited, setVisited] = useState(0);
  const [aim, setAim] = useState<Aim>({});
  const step: PrepareStep = hasEnvelope ? stepOfSlug(search.get("etape")) : "documents";
  const index = PREPARE_STEPS.findIndex((entry) => entry.step === step);
  const lookFor = useFaultFocus(step);
  useEffect(() => setVisited((furthest) => Math.max(furthest, index)), [index]);

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
  const stop = () => {
    setShowFaults(true);
    // The faults appear at the next render.
    requestAnimationFrame(focusFault);
  };
  const choose = (target: number, fault: string | null) => {
    if (target > index && fault !== null) stop();
    else goTo(PREPARE_STEPS[target]?.step ?? "documents");
  };
  const fix = (finding: SendFinding) => {
    if (finding.step === step) return stop();
    lookFor(finding.step);
    return goTo(finding.step, finding);
  };
  return { step, index, visited, aim, showFaults, goTo, choose, fix };
}

function useFaultFocus(step: PrepareStep): (step: PrepareStep) => void {
  const [sought, setSought] = useState<PrepareStep | null>(null);
  useEffect(() => {
    if (sought !== step) return undefined;
    // A page that opens focuses its heading first.
    const frame = requestAnimationFrame(() => {
      focusFault();
      setSought(null);
    });
    return () => cancelAnimationFrame(frame);
  }, [step, sought]);
  return setSought;
}

function focusFault(): void {
  document.querySelector<HTMLElement>("#contenu :is([aria-invalid], [data-fault])")?.focus();
}

type Now = {
  readonly fault: string | null;
  /** Files refused or not arrived. */
  readonly refusedFiles: number;
  /** False until the address is that of the draft the first file made. */
  readonly isAddressed: boolean;
};
type AwaitedStep = { readonly choose: Steps["choose"]; readonly isAwaited: boolean };

/** Actions that cancel the wait. */
const ACTS = ["click", "input", "drop"] as const;

/** Opens the next step once all files have arrived, unless the user does something else. */
export function useAwaitedStep(
  steps: Steps,
  { fault, refusedFiles, isAddressed }: Now,
): AwaitedStep {
  const [awaited, setAwaited] = useState<{
    readonly target: number;
    readonly refusedFiles: number;
  } | null>(null);
  const isWaiting = awaited !== null && (fault === UPLOADING || !isAddressed);
  const end = useEffectEvent(() => {
    if (awaited === null) return;
    setAwaited(null);
    // A refused file is shown first.
    if (fault === null && refusedFiles === awaited.refusedFiles) steps.choose(awaited.target, null);
  });
  useEffect(() => {
    if (!isWaiting) return undefined;
    const stop = () => setAwaited(null);
    for (const act of ACTS) document.addEventListener(act, stop, true);
    return () => {
      for (const act of ACTS) document.removeEventListener(act, stop, true);
    };
  }, [isWaiting]);
  useEffect(() => {
    if (!isWaiting) end();
  }, [isWaiting]);
  const choose: Steps["choose"] = (target, found) => {
    if (found === UPLOADING && target > steps.index) setAwaited({ target, refusedFiles });
    else steps.choose(target, found);
  };
  return { choose, isAwaited: isWaiting };
}

/** Null until the check, a chunk of the last step, has loaded. */
export function useUnfinishedSteps(
  draft: Draft,
  documents: readonly Document[],
): ReadonlySet<number> | null {
  const [check, setCheck] = useState<typeof unfinishedSteps>();
  const hasFiles = documents.length > 0;
  useEffect(() => {
    // Before the first file there is no step to go back to.
    if (!hasFiles) return;
    // Without the check no step is marked done; the sending checks anyway.
    import("./sending/send-check.ts").then(
      (part) => setCheck(() => part.unfinishedSteps),
      console.warn,
    );
  }, [hasFiles]);
  return useMemo(() => check?.(draft, documents) ?? null, [check, draft, documents]);
}

/** The only fault that ends by itself. */
const UPLOADING = "Un envoi de fichier est en cours.";

type StepNow = {
  readonly draft: Draft;
  readonly documents: readonly Document[];
  readonly isUploading: boolean;
  readonly refused: Refusals;
  readonly at: Date;
};

export function stepFault(step: PrepareStep, now: StepNow): string | null {
  if (step === "documents") return documentsFault(now);
  return step === "recipients" ? recipientsFault(now) : null;
}

function documentsFault({ draft, documents, isUploading, refused, at }: StepNow): string | null {
  const title = titleFault(draft.title);
  if (title !== null && documents.length > 0) return title;
  if (documents.length === 0 && !isUploading) return "Au moins un fichier";
  // The user's own faults come before the wait for files.
  const own =
    deadlineFault(draft.deadline, at) ?? firstOf(refused, ["title", "deadline_at", "reminders"]);
  return own ?? (isUploading ? UPLOADING : null);
}

function recipientsFault({ draft, refused }: StepNow): string | null {
  const people = draft.recipients.filter((row) => !isBlankRecipient(row));
  if (people.length === 0) return "Ajoutez au moins un destinataire.";
  if (people.length > MAX_RECIPIENTS) return `${MAX_RECIPIENTS} destinataires au maximum.`;
  if (!canSaveRecipients(draft.recipients)) return "Complétez les destinataires.";
  return firstOf(refused, ["recipients", "message", "flow"]);
}

function firstOf(refused: Refusals, parts: readonly string[]): string | null {
  return (
    parts.map((part) => refusalOf(refused, part)).find((sentence) => sentence !== undefined) ?? null
  );
}
