import {
  type BroughtReport,
  type BroughtThings,
  readCertificates,
  readSealKeys,
  verifyBrought,
} from "@paraphe/proof";
import { readCode } from "./read-code.ts";

/** The reader's files: `certificates` are PEM or DER, `keySets` the seal's keys (JWK). */
export type Brought = Omit<BroughtThings, "roots" | "sealKeys"> & {
  readonly certificates: readonly Uint8Array[];
  readonly keySets: readonly Uint8Array[];
  /** Certificates that the service of this page publishes (PEM); null in a copy on a disk. */
  readonly authorities: Uint8Array | null;
};

/** Whose word the result stands on; `unknown`: the service of this page does not recognise it. */
export type Trust = "reader" | "service" | "nobody" | "unknown";
export type Checked = { readonly report: BroughtReport; readonly trust: Trust };

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

/** The service's authorities may add trust; they never make invalid what comes from elsewhere. */
export async function check({
  certificates,
  keySets,
  authorities,
  ...things
}: Brought): Promise<Checked> {
  const roots = certificates.flatMap((file) => readCertificates(file));
  const sealKeys = keySets.flatMap((file) => readSealKeys(file));
  const own = await verifyBrought({ ...things, roots, sealKeys });
  if (roots.length + sealKeys.length > 0) return { report: own, trust: "reader" };
  if (authorities === null || own.verdict !== "indeterminate")
    return { report: own, trust: "nobody" };
  const report = await verifyBrought({ ...things, roots: readCertificates(authorities) });
  const isTrusted =
    report.verdict !== "invalid" &&
    report.checks.some(({ name, state }) => name === "root" && state === "ok");
  return isTrusted ? { report, trust: "service" } : { report: own, trust: "unknown" };
}
