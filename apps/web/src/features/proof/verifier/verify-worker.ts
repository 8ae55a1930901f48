import {
  type OfflineReport,
  readCertificates,
  readSealKeys,
  type ReceivedInput,
  type Trust,
  verifyReceived,
} from "@paraphe/proof";
import { readCode } from "./read-code.ts";

/** The reader's files: `certificates` are PEM or DER, `keySets` the seal's keys (JWK). */
export type Brought = Omit<ReceivedInput, "roots" | "sealKeys"> & {
  readonly certificates: readonly Uint8Array[];
  readonly keySets: readonly Uint8Array[];
};
export type Checked = { readonly report: OfflineReport; readonly trust: Trust };

/** `code`: what the code on a photograph says, null where none can be read. */
export type WorkerQuestion =
  | { readonly ask: "check"; readonly brought: Brought }
  | { readonly ask: "code"; readonly photo: Uint8Array };
export type Answers = { readonly check: Checked; readonly code: string | null };
export type WorkerAnswer = { readonly answer: Answers[keyof Answers] } | { readonly error: string };

/** Checks beside the page, which stays responsive. Nothing here asks the network for anything. */
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
