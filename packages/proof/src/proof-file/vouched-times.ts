import { validate, type ValidationReport } from "@paraphe/pades";
import type { ReadFile } from "./read-brought.ts";
import type { CheckContext, ProofCheck } from "./types.ts";

type FileWork = { readonly context: CheckContext; readonly brought: readonly ReadFile[] };

/**
 * Gives the checks of files as they are worth to this reader: signatures that are right by times of an authority that the proof alone names are right for nobody. All else
 * that is held against the files (whose, when, of which level) is held as the service, which trusts that authority, had it.
 */
export async function withVouchedTimes(checks: readonly ProofCheck[], { context, brought }: FileWork): Promise<readonly ProofCheck[]> {
  const { evidence, vouched, now, provenAt } = context;
  const given = new Set(vouched.trustAnchors.timestamps.map(String));
  if (evidence.trustAnchors.timestamps.every((der) => given.has(String(der)))) return checks;
  const leaning = new Set<string>();
  for (const file of brought) {
    // A certificate may have ended since the proof, whose own time then stands for the signature's.
    const moments = provenAt === null ? [now] : [now, provenAt];
    const own = passedIn(await Promise.all(moments.map((at) => validate(file.bytes, { evidence: vouched, now: at }))));
    if ([...passedIn([await file.report(), await file.reportThen()])].some((index) => !own.has(index))) leaning.add(file.name);
  }
  return checks.map((check) =>
    check.name === "signatures" && check.state === "ok" && leaning.has(check.subject ?? "")
      ? { ...check, state: "not_checked", sentence: SUPPOSED }
      : check,
  );
}

/** Places, in a file, of the signatures that pass in one of these reports of it. */
function passedIn(reports: readonly ValidationReport[]): ReadonlySet<number> {
  return new Set(
    reports.flatMap(({ signatures }) => signatures.flatMap(({ indication }, index) => (indication === "TOTAL_PASSED" ? [index] : []))),
  );
}

const SUPPOSED =
  "Le fichier est intact, et ses signatures sont valides si l’autorité qui les horodate, que la preuve seule nomme, est digne de foi\u00a0: rien ne le dit, à moins que vous ne donniez vous-même son certificat.";
