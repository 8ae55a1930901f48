import type { Checkpoint } from "@paraphe/contracts";
import { useRef, useState } from "react";
import { checkContinuity, type Continuity, readKept } from "./check-continuity.ts";

/** `unread`: the file holds no checkpoint; `away`: the path, or what checks it, did not come. */
export type ContinuityState =
  | { readonly step: "none" | "unread" | "away" | "checking" }
  | { readonly step: "done"; readonly kept: Checkpoint; readonly continuity: Continuity };

/** Holds checkpoints that were kept against the latest one, one at a time; the last asked for is the one that is told. */
export function useContinuity(latest: Checkpoint | undefined) {
  const [state, setState] = useState<ContinuityState>({ step: "none" });
  const asked = useRef(0);
  const tell = async (answer: () => Promise<ContinuityState>) => {
    const turn = ++asked.current;
    setState({ step: "checking" });
    const said = await answer().catch((error: unknown): ContinuityState => {
      console.warn("a checkpoint could not be held against the log", error);
      return { step: "away" };
    });
    if (turn === asked.current) setState(said);
  };
  const compare = async (kept: Checkpoint): Promise<ContinuityState> =>
    latest === undefined ? { step: "none" } : { step: "done", kept, continuity: await checkContinuity(kept, latest) };
  return {
    state,
    check: (kept: Checkpoint) => tell(() => compare(kept)),
    checkFile: (file: File) =>
      tell(async () => {
        const kept = await readKept(file);
        return kept === null ? { step: "unread" } : compare(kept);
      }),
  };
}
