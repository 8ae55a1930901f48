import type { BroughtReport } from "@paraphe/proof";
import { useEffect, useState } from "react";
import { askWorker } from "./ask-worker.ts";
import type { Brought } from "./check-question.ts";
import type { TakenFile } from "./sort-files.ts";

/** An address is typed letter by letter: it is checked once it stays. */
const SETTLED_MS = 300;

export type CheckState = { readonly step: "none" | "checking" | "failed" } | { readonly step: "done"; readonly report: BroughtReport };

const NONE: CheckState = { step: "none" };
const CHECKING: CheckState = { step: "checking" };
type Asked = { readonly files: readonly TakenFile[]; readonly address: string };

/** Checks what is there each time it changes; of an answer that comes late, nothing is shown. */
export function useCheck(files: readonly TakenFile[], address: string): CheckState {
  const [answered, setAnswered] = useState<(Asked & { readonly state: CheckState }) | null>(null);
  const isAsked = address !== "" || files.some(({ kind }) => kind === "proof" || kind === "pdf");
  useEffect(() => {
    if (!isAsked) return undefined;
    let isLate = false;
    const show = (state: CheckState) => {
      if (!isLate) setAnswered({ files, address, state });
    };
    const check = () =>
      askWorker({ ask: "check", brought: broughtOf({ files, address }) }).then(
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
  }, [files, address, isAsked]);
  if (!isAsked) return NONE;
  return answered?.files === files && answered.address === address ? answered.state : CHECKING;
}

function broughtOf({ files, address }: Asked): Brought {
  const ofKind = (wanted: TakenFile["kind"]) => files.filter(({ kind }) => kind === wanted);
  return {
    proof: ofKind("proof")[0]?.bytes ?? null,
    files: ofKind("pdf").map(({ name, bytes }) => ({ name, bytes })),
    certificates: ofKind("certificate").map(({ bytes }) => bytes),
    keySets: ofKind("keys").map(({ bytes }) => bytes),
    address: address === "" ? null : address,
    now: new Date(),
  };
}
