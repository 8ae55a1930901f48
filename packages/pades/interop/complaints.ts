import { PREFIX } from "../testing/sign-flow.ts";
import type { Answer, DssVerdict, PyHankoVerdict, Verdict } from "./judge-process.ts";
import { runAside } from "./tool.ts";

/**
 * How many of our signatures a file should have, and the prefix of their field names. `came`: the
 * fields that were signed when the file came.
 */
export type Expected = {
  readonly signatures: number;
  readonly timestamps: number;
  readonly prefix?: string;
  readonly came?: readonly string[];
};

/** The fields that the test signed or time-stamped. */
const oursAmong = <V extends Verdict>(
  { signatures = [] }: Answer<V>,
  { prefix = PREFIX, came = [] }: Expected,
): readonly V[] =>
  signatures.filter(
    ({ field }) =>
      (field.startsWith(prefix) || field.startsWith("horodatage_")) && !came.includes(field),
  );

function missingVerdicts<V extends Verdict>(answer: Answer<V>, expected: Expected): string[] {
  if (answer.error) return [answer.error];
  const ours = oursAmong(answer, expected);
  const [found, stamps] = (["signature", "document_timestamp"] as const).map(
    (kind) => ours.filter((one) => one.kind === kind).length,
  );
  if (found === expected.signatures && stamps === expected.timestamps) return [];
  return [
    `${found} signatures and ${stamps} time-stamps judged, ${expected.signatures} and ${expected.timestamps} written`,
  ];
}

/**
 * DSS's complaints about our signatures: anything but PAdES-BASELINE-LTA, passed, without a remark.
 */
export function dssComplaints(answer: Answer<DssVerdict>, expected: Expected): string[] {
  const remarks = oursAmong(answer, expected).flatMap((one) => {
    const passed = one.kind === "signature" ? "TOTAL_PASSED" : "PASSED";
    return [
      ...(one.indication === passed ? [] : [`${one.indication} ${one.sub_indication}`]),
      ...(one.kind === "document_timestamp" || one.format === "PAdES-BASELINE-LTA"
        ? []
        : [`format ${one.format}`]),
      ...one.errors,
      ...one.warnings,
      ...changesSeen(one),
    ].map((remark) => `${one.field}: ${remark}`);
  });
  return [...missingVerdicts(answer, expected), ...remarks];
}

/** DSS's notes on later changes. */
export function changesSeen(one: DssVerdict): string[] {
  return [
    ...(one.byte_range_ok ? [] : ["ByteRange"]),
    ...(one.dictionary_ok ? [] : ["signature dictionary changed"]),
    ...(one.overlapping_pages ? ["annotations overlap"] : []),
    ...(one.visual_differences ? ["pages look different"] : []),
    ...(one.page_differences ? ["pages added or removed"] : []),
    ...one.annotation_changes.map((change) => `annotation ${change}`),
    ...one.undefined_changes.map((change) => `undefined ${change}`),
  ];
}

/**
 * pyHanko's complaints about our signatures: AdES-LTA not passed, or a change beyond form filling
 * and archiving.
 */
export function pyHankoComplaints(answer: Answer<PyHankoVerdict>, expected: Expected): string[] {
  const remarks = oursAmong(answer, expected).flatMap((one) =>
    [
      ...(one.intact && one.valid && one.trusted ? [] : [`not trusted: ${one.failure}`]),
      ...(one.bottom_line || !one.docmdp_ok ? [] : [`not valid: ${one.failure}`]),
      ...(one.kind === "document_timestamp" || one.ades === "AdESPassed.OK"
        ? []
        : [`${one.ades} ${one.failure}`]),
      ...(one.archived ? [] : ["no proof of existence"]),
      ...(one.coverage === "ENTIRE_REVISION" || one.coverage === "ENTIRE_FILE"
        ? []
        : [one.coverage]),
      ...(one.docmdp_ok ? [] : [`modified: ${one.modification ?? one.modification_level}`]),
    ].map((remark) => `${one.field}: ${remark}`),
  );
  return [...missingVerdicts(answer, expected), ...remarks];
}

/** Earlier signatures whose verdict our update changed. */
export function harmedSignatures<V extends Verdict>(
  before: Answer<V>,
  after: Answer<V>,
  worth: (verdict: V) => string,
): string[] {
  if (before.error !== undefined) return [before.error];
  return (before.signatures ?? []).flatMap((one) => {
    const now = after.signatures?.find(({ field }) => field === one.field);
    if (!now) return [`${one.field}: gone`];
    return worth(one) === worth(now) ? [] : [`${one.field}: was ${worth(one)}, is ${worth(now)}`];
  });
}

/** pdfsig's complaints about our signatures; it does not validate document time-stamps. */
export async function pdfsigComplaints(pdf: string, expected: Expected): Promise<string[]> {
  const { output } = await runAside("pdfsig", ["-nocert", pdf]);
  const { prefix = PREFIX } = expected;
  const ours = output
    .split(/^Signature #/m)
    .filter((part) => part.includes(`Signature Field Name: ${prefix}`));
  const remarks = ours.flatMap((part) =>
    part.includes("Signature is Valid.") ? [] : [part.replace(/\s+/g, " ").slice(0, 200)],
  );
  return ours.length === expected.signatures
    ? remarks
    : [`${ours.length} signatures found of ${expected.signatures}`, ...remarks];
}

/** What `qpdf --check` reports beyond what it reported `before`. */
export async function qpdfComplaints(pdf: string, before?: string): Promise<string[]> {
  const { code, output } = await runAside("qpdf", ["--check", pdf]);
  if (code === 0) return [];
  const earlier = before ? await runAside("qpdf", ["--check", before]) : null;
  return earlier && earlier.code === code
    ? []
    : [`exit code ${code}: ${output.trim().split("\n").slice(-2).join(" ").slice(0, 300)}`];
}
