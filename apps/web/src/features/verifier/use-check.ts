import type { ProofReport } from "@paraphe/proof";
import { useEffect, useState } from "react";
import { checkInWorker } from "./check-in-worker.ts";
import type { TakenFile } from "./sort-files.ts";

/** An address is typed letter by letter: it is checked once it stays. */
const SETTLED_MS = 300;

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
    const question = {
      proof: proof?.bytes ?? null,
      files: files.filter(({ kind }) => kind === "pdf").map(({ name, bytes }) => ({ name, bytes })),
      certificates: files.filter(({ kind }) => kind === "certificate").map(({ bytes }) => bytes),
      keySets: files.filter(({ kind }) => kind === "keys").map(({ bytes }) => bytes),
      address: address === "" ? null : address,
      now: new Date(),
    };
    const check = () =>
      checkInWorker(question).then(
        (report) => show({ step: "done", report }),
        (error: unknown) => {
          console.error(error);
          show({ step: "failed" });
        },
      );
    const timer = setTimeout(() => void check(), SETTLED_MS);
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [files, address]);
  return state;
}
