import { type CorpusRow, VALIDATORS } from "./judge-corpus.ts";
import { KNOWN_REMARKS } from "./known-remarks.ts";

const LONGEST_SECONDS = 10;

/**
 * The faults of a row, without the known remarks about the file itself; one line each, the subject
 * first.
 */
export function faultsOf({
  file,
  outcome,
  reason,
  seconds,
  complaints,
}: CorpusRow): readonly string[] {
  const known = KNOWN_REMARKS[file];
  const judged = VALIDATORS.flatMap((validator) =>
    (complaints?.[validator] ?? [])
      .filter((complaint) => known?.validator !== validator || !known.says.test(complaint))
      .map((complaint) => `${validator}: ${complaint}`),
  );
  const slow = seconds > LONGEST_SECONDS ? [`seconds: ${seconds.toFixed(1)}`] : [];
  return [...(outcome === "crash" ? [`outcome: ${reason}`] : []), ...slow, ...judged];
}
