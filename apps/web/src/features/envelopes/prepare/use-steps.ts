import { useEffect, useState } from "react";
import { useLocation, useSearchParams } from "react-router";
import type { DraftKeeper } from "./draft-keeper.ts";
import type { Aim, SendFinding } from "./send-check.ts";
import { PREPARE_STEPS, type PrepareStep, slugOfStep, stepOfSlug } from "./steps.ts";
import { stepDepth } from "./use-rewind.ts";

export type Steps = ReturnType<typeof useSteps>;

/** Which step of a draft is open (`?etape=`), and the ways between them. Without an envelope there is nothing to send nor to place a field on. */
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
    // The faults are said by the step's next drawing.
    requestAnimationFrame(focusFault);
  };
  /** Goes to a step; forwards only once nothing is wrong here (`fault`), which is said otherwise. */
  const choose = (target: number, fault: string | null) => {
    if (target > index && fault !== null) stop();
    else goTo(PREPARE_STEPS[target]?.step ?? "documents");
  };
  /** Leads to what is to be put right. */
  const fix = (finding: SendFinding) => {
    if (finding.step === step) return stop();
    lookFor(finding.step);
    return goTo(finding.step, finding);
  };
  return { step, index, visited, aim, showFaults, goTo, choose, fix };
}

/** Gives the focus to what is wrong in a step, once the step that it is looked for in is open. */
function useFaultFocus(step: PrepareStep): (step: PrepareStep) => void {
  const [sought, setSought] = useState<PrepareStep | null>(null);
  useEffect(() => {
    if (sought !== step) return undefined;
    // The page that opens gives the focus to its heading first.
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
