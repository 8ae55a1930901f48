import { type BroughtReport, readCertificates, readSealKeys, verifyBrought } from "@paraphe/proof";
import type { Answers, Brought, WorkerAnswer, WorkerQuestion } from "./check-question.ts";
import { readCode } from "./read-code.ts";

/** Checks beside the page, which stays at the person's hand: a long contract takes a second. Nothing here asks the network for anything. */
addEventListener("message", ({ data }: MessageEvent<WorkerQuestion>) => {
  void answer(data).then(
    (given) => postMessage({ answer: given } satisfies WorkerAnswer),
    (error: unknown) => postMessage({ error: String(error) } satisfies WorkerAnswer),
  );
});

function answer(question: WorkerQuestion): Promise<Answers[keyof Answers]> {
  return question.ask === "code" ? readCode(question.photo) : check(question.brought);
}

function check({
  proof,
  files,
  certificates,
  keySets,
  address,
  now,
}: Brought): Promise<BroughtReport> {
  const roots = certificates.flatMap((file) => readCertificates(file));
  return verifyBrought({
    proof,
    files,
    roots,
    sealKeys: keySets.flatMap((file) => readSealKeys(file)),
    address,
    now,
  });
}
