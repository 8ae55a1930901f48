import {
  type BroughtReport,
  readCertificates,
  readSealKeys,
  type ReceivedThings,
  type Trust,
  verifyReceived,
} from "@paraphe/proof";
import { readCode } from "./read-code.ts";

/** `certificates`: PEM or DER; `keySets`: the seal's keys (JWK). */
export type Brought = Omit<ReceivedThings, "roots" | "sealKeys"> & {
  readonly certificates: readonly Uint8Array[];
  readonly keySets: readonly Uint8Array[];
};
export type Checked = { readonly report: BroughtReport; readonly trust: Trust };

/** `code`: of a photograph, null where none can be read. */
export type WorkerQuestion =
  | { readonly ask: "check"; readonly brought: Brought }
  | { readonly ask: "code"; readonly photo: Uint8Array };
export type Answers = { readonly check: Checked; readonly code: string | null };
export type WorkerAnswer = { readonly answer: Answers[keyof Answers] } | { readonly error: string };

/** A worker keeps the page responsive; it makes no request. */
addEventListener("message", ({ data }: MessageEvent<WorkerQuestion>) => {
  void answer(data).then(
    (given) => postMessage({ answer: given } satisfies WorkerAnswer),
    (error: unknown) => postMessage({ error: String(error) } satisfies WorkerAnswer),
  );
});

function answer(question: WorkerQuestion): Promise<Answers[keyof Answers]> {
  return question.ask === "code" ? readCode(question.photo) : check(question.brought);
}

function check({ certificates, keySets, ...things }: Brought): Promise<Checked> {
  return verifyReceived({
    ...things,
    roots: certificates.flatMap((file) => readCertificates(file)),
    sealKeys: keySets.flatMap((file) => readSealKeys(file)),
  });
}
