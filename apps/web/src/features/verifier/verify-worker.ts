import { type ProofReport, readCertificates, verifyBrought } from "@paraphe/proof";
import type { CheckAnswer, CheckQuestion } from "./check-question.ts";

/** Checks beside the page, which stays at the person's hand: a long contract takes a second. Nothing here asks the network for anything. */
addEventListener("message", ({ data }: MessageEvent<CheckQuestion>) => {
  void check(data).then(
    (report) => postMessage({ report } satisfies CheckAnswer),
    (error: unknown) => postMessage({ error: String(error) } satisfies CheckAnswer),
  );
});

function check({ proof, files, certificates, address, now }: CheckQuestion): Promise<ProofReport> {
  return verifyBrought({ proof, files, roots: certificates.flatMap((file) => readCertificates(file)), address, now });
}
