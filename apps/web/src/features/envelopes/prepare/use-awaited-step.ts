import { useEffect, useEffectEvent, useState } from "react";
import { UPLOADING } from "./step-fault.ts";
import type { Steps } from "./use-steps.ts";

type Now = {
  readonly fault: string | null;
  /** How many files were refused, or did not arrive. */
  readonly refusedFiles: number;
  /** False until the address is that of the draft that the first file made. */
  readonly isAddressed: boolean;
};
type AwaitedStep = { readonly choose: Steps["choose"]; readonly isAwaited: boolean };

/** What somebody does meanwhile that says they are no longer waiting: pressed, typed, dropped. */
const ACTS = ["click", "input", "drop"] as const;

/** Goes to the step that was asked for while files were on their way once all of them are there, unless the person did something else. */
export function useAwaitedStep(steps: Steps, { fault, refusedFiles, isAddressed }: Now): AwaitedStep {
  const [awaited, setAwaited] = useState<{ readonly target: number; readonly refusedFiles: number } | null>(null);
  const isWaiting = awaited !== null && (fault === UPLOADING || !isAddressed);
  const end = useEffectEvent(() => {
    if (awaited === null) return;
    setAwaited(null);
    // A file that stayed behind is looked at first.
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
