import { useEffect, useState } from "react";
import type { TakenFile } from "./sort-files.ts";
import type { Answers, Brought, Checked, WorkerAnswer, WorkerQuestion } from "./verify-worker.ts";
import VerifyWorker from "./verify-worker.ts?worker&inline";

/** One worker per question: none waits for another. */
export async function askWorker<Q extends WorkerQuestion>(question: Q): Promise<Answers[Q["ask"]]> {
  const worker = new VerifyWorker();
  return new Promise<Answers[Q["ask"]]>((resolve, reject) => {
    worker.addEventListener("message", ({ data }: MessageEvent<WorkerAnswer>) => {
      if ("answer" in data) resolve(data.answer as Answers[Q["ask"]]);
      else reject(new Error("The check failed", { cause: data.error }));
    });
    worker.addEventListener("error", ({ message }) =>
      reject(new Error("The check could not start", { cause: message })),
    );
    // Copied, not transferred: the next question needs the files too.
    worker.postMessage(question, []);
  }).finally(() => worker.terminate());
}

/** The service's published certificates; null in a copy on disk. */
export function useServiceAuthorities(isFile: boolean): Uint8Array | null {
  const [authorities, setAuthorities] = useState<Uint8Array | null>(null);
  useEffect(() => {
    const load = async () => {
      const response = await fetch("/pki/ca.pem");
      if (response.ok) setAuthorities(new Uint8Array(await response.arrayBuffer()));
    };
    if (!isFile) load().catch((error: unknown) => console.warn("no authorities loaded", error));
  }, [isFile]);
  return authorities;
}

/** A typed address is checked once it stays. */
const SETTLED_MS = 300;

type CheckState =
  | { readonly step: "none" | "checking" | "failed" }
  | ({ readonly step: "done" } & Checked);

const NONE: CheckState = { step: "none" };
const CHECKING: CheckState = { step: "checking" };
type Asked = {
  readonly files: readonly TakenFile[];
  readonly address: string;
  readonly authorities: Uint8Array | null;
};

/** A late answer is dropped. */
export function useCheck({ files, address, authorities }: Asked): CheckState {
  const [answered, setAnswered] = useState<(Asked & { readonly state: CheckState }) | null>(null);
  const isAsked = address !== "" || files.some(({ kind }) => kind === "proof" || kind === "pdf");
  useEffect(() => {
    if (!isAsked) return undefined;
    const asked = { files, address, authorities };
    let isLate = false;
    const show = (state: CheckState) => {
      if (!isLate) setAnswered({ ...asked, state });
    };
    const check = () =>
      askWorker({ ask: "check", brought: broughtOf(asked) }).then(
        (checked) => show({ step: "done", ...checked }),
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
  }, [files, address, authorities, isAsked]);
  if (!isAsked) return NONE;
  const isCurrent =
    answered?.files === files &&
    answered.address === address &&
    answered.authorities === authorities;
  return isCurrent ? answered.state : CHECKING;
}

function broughtOf({ files, address, authorities }: Asked): Brought {
  const ofKind = (wanted: TakenFile["kind"]) => files.filter(({ kind }) => kind === wanted);
  return {
    proof: ofKind("proof")[0]?.bytes ?? null,
    files: ofKind("pdf").map(({ name, bytes }) => ({ name, bytes })),
    certificates: ofKind("certificate").map(({ bytes }) => bytes),
    keySets: ofKind("keys").map(({ bytes }) => bytes),
    authorities,
    address: address === "" ? null : address,
    now: new Date(),
  };
}
