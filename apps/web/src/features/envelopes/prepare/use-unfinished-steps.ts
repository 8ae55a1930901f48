import type { Document } from "@paraphe/contracts";
import { useEffect, useMemo, useState } from "react";
import type { Draft } from "./draft.ts";
import type { unfinishedSteps } from "./unfinished-steps.ts";

/** Gives the indexes of the steps that lack something; null before the check, which is the last step's, has come: its file is not the editor's. */
export function useUnfinishedSteps(draft: Draft, documents: readonly Document[]): ReadonlySet<number> | null {
  const [check, setCheck] = useState<typeof unfinishedSteps>();
  const hasFiles = documents.length > 0;
  useEffect(() => {
    // Before the first file there is no step to go back to.
    if (!hasFiles) return;
    // Without it no step is said to be done; what is missing is told before the sending.
    import("./unfinished-steps.ts").then((part) => setCheck(() => part.unfinishedSteps), console.warn);
  }, [hasFiles]);
  return useMemo(() => check?.(draft, documents) ?? null, [check, draft, documents]);
}
