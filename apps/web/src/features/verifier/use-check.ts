import type { ProofReport } from "@paraphe/proof";
import { useEffect, useState } from "react";
import { checkInWorker } from "./check-in-worker.ts";
import type { TakenFile } from "./sort-files.ts";

export type CheckState = { readonly step: "none" | "checking" | "failed" } | { readonly step: "done"; readonly report: ProofReport };

/** Checks what is there each time it changes; of an answer that comes late, nothing is shown. */
export function useCheck(files: readonly TakenFile[], address: string): CheckState {
  const [state, setState] = useState<CheckState>({ step: "none" });
  useEffect(() => {
    const proof = files.find(({ kind }) => kind === "proof");
    if (proof === undefined && address === "") {
      setState({ step: "none" });
      return undefined;
    }
    let isLate = false;
    const show = (next: CheckState) => {
      if (!isLate) setState(next);
    };
    setState({ step: "checking" });
    checkInWorker({
      proof: proof?.bytes ?? null,
      files: files.filter(({ kind }) => kind === "pdf").map(({ name, bytes }) => ({ name, bytes })),
      certificates: files.filter(({ kind }) => kind === "certificate").map(({ bytes }) => bytes),
      address: address === "" ? null : address,
      now: new Date(),
    }).then(
      (report) => show({ step: "done", report }),
      (error: unknown) => {
        console.error(error);
        show({ step: "failed" });
      },
    );
    return () => {
      isLate = true;
    };
  }, [files, address]);
  return state;
}
