import { type ProofReport, readCertificates, readSealKeys, verifyBrought } from "@paraphe/proof";
import type { CheckAnswer, CheckQuestion } from "./check-question.ts";

/** Checks beside the page, which stays at the person's hand: a long contract takes a second. Nothing here asks the network for anything. */
addEventListener("message", ({ data }: MessageEvent<CheckQuestion>) => {
  void check(data).then(
    (report) => postMessage({ report } satisfies CheckAnswer),
    (error: unknown) => postMessage({ error: String(error) } satisfies CheckAnswer),
  );
});

function check({ proof, files, certificates, keySets, address, now }: CheckQuestion): Promise<ProofReport> {
  const roots = certificates.flatMap((file) => readCertificates(file));
  return verifyBrought({ proof, files, roots, sealKeys: keySets.flatMap((file) => readSealKeys(file)), address, now });
}
