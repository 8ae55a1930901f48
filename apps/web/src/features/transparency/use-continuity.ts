import type { Checkpoint } from "@paraphe/contracts";
import { useState } from "react";
import { checkContinuity, type Continuity, readKept } from "./check-continuity.ts";

/** `unread`: the file holds no checkpoint; `away`: the path, or what checks it, did not come. */
export type ContinuityState =
  | { readonly step: "none" | "unread" | "away" }
  | { readonly step: "checking"; readonly size: number | null }
  | { readonly step: "done"; readonly kept: Checkpoint; readonly continuity: Continuity };

/** Holds checkpoints that were kept against the latest one, one at a time; the last asked for is the one that is told. */
export function useContinuity(latest: Checkpoint | undefined) {
  const [state, setState] = useState<ContinuityState>({ step: "none" });
  const check = async (kept: Checkpoint) => {
    if (latest === undefined) return;
    setState({ step: "checking", size: kept.size });
    const isAsked = (now: ContinuityState) => now.step === "checking" && now.size === kept.size;
    const done = await checkContinuity(kept, latest).then(
      (continuity): ContinuityState => ({ step: "done", kept, continuity }),
      (): ContinuityState => ({ step: "away" }),
    );
    setState((now) => (isAsked(now) ? done : now));
  };
  const checkFile = async (file: File) => {
    setState({ step: "checking", size: null });
    const kept = await readKept(file);
    if (kept === null) setState({ step: "unread" });
    else await check(kept);
  };
  return { state, check, checkFile };
}
