import type { BroughtReport } from "@paraphe/proof";
import { useEffect, useState } from "react";
import type { Answers, Brought, WorkerAnswer, WorkerQuestion } from "./check-question.ts";
import type { TakenFile } from "./sort-files.ts";
import VerifyWorker from "./verify-worker.ts?worker&inline";

/** Checks in a thread of its own; one for each question, so that none waits for another's file. */
export async function askWorker<Q extends WorkerQuestion>(question: Q): Promise<Answers[Q["ask"]]> {
  const worker = new VerifyWorker();
  return new Promise<Answers[Q["ask"]]>((resolve, reject) => {
    worker.addEventListener("message", ({ data }: MessageEvent<WorkerAnswer>) => {
      // The worker answers what it was asked.
      if ("answer" in data) resolve(data.answer as Answers[Q["ask"]]);
      else reject(new Error("The check failed", { cause: data.error }));
    });
    worker.addEventListener("error", ({ message }) =>
      reject(new Error("The check could not start", { cause: message })),
    );
    // Copied, not handed over: the page keeps the files for the next question.
    worker.postMessage(question, []);
  }).finally(() => worker.terminate());
}

/** An address is typed letter by letter: it is checked once it stays. */
const SETTLED_MS = 300;

type CheckState =
  | { readonly step: "none" | "checking" | "failed" }
  | { readonly step: "done"; readonly report: BroughtReport };

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
