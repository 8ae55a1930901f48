import { type CorpusRow, VALIDATORS } from "./validate-corpus.ts";

type Remark = {
  readonly validator: (typeof VALIDATORS)[number];
  readonly says: RegExp;
  readonly why: string;
  /**
   * pyHanko's remark on the file as pyHanko signed it; null when `known-remarks.test.ts` shows it
   * otherwise.
   */
  readonly ofItself: RegExp | null;
};

/** A test asserts each remark, so that one which ends is noticed. */
export const KNOWN_REMARKS: Readonly<Record<string, Remark>> = {
  "public/lp_text_variety_us_constitution": {
    validator: "pyHanko",
    says: /Metadata does not look like XMP/,
    why: "the file's own metadata have no x:xmpmeta element, which XMP (ISO 16684-1) makes optional; pyHanko asks for it",
    ofItself: /Metadata does not look like XMP/,
  },
  "public/lp_layers_pdfjs-visibility-expressions": {
    validator: "pixels",
    says: /^page 1 looks otherwise$/,
    why: "PDFium does not read visibility expressions of layers (ISO 32000-2 §8.11.2.2) and shows all; the copy shows what they say, as pdf.js and poppler do",
    ofItself: null,
  },
  "public/lp_forms_pdfjs_bug1669099": {
    validator: "pyHanko",
    says: /no answer after 10 s/,
    why: "pyHanko lists every path to every object, and this form's objects refer to one another without end; it does not answer about its own signature either",
    ofItself: /no answer after 3 s/,
  },
  "public/ph_pades-lta-dss-indirect-arrs-test": {
    validator: "pyHanko",
    says: /NO_POE|no proof of existence/,
    why: "pyHanko takes all document time-stamps for one chain of proof, and those that came with the file are not our authority's; when their authority is trusted too, it says nothing",
    ofItself: null,
  },
  "trials/25sigs": {
    validator: "pyHanko",
    says: /no proof of existence$/,
    why: "as of ph_pades-lta-dss-indirect-arrs-test: its time-stamps are of another authority",
    ofItself: null,
  },
  "trials/cmp_padesSignatureLevelLTATest1": {
    validator: "pyHanko",
    says: /no proof of existence$/,
    why: "as of ph_pades-lta-dss-indirect-arrs-test: its time-stamps are of another authority",
    ofItself: null,
  },
  "trials/countersigned-by-pyhanko-utf16-title": {
    validator: "pyHanko",
    says: /no proof of existence$/,
    why: "as of ph_pades-lta-dss-indirect-arrs-test: its time-stamp is of another authority",
    ofItself: null,
  },
  "trials/check_custom_rotate270_10_20": {
    validator: "pyHanko",
    says: /^Signature1: was true true true, is true true false$/,
    why: "the trailer's /AdditionalStreams, left by LibreOffice, names an object that is not there; pyHanko gives no answer at all while it is not, and calls it a change once it is written as null",
    ofItself: null,
  },
  "trials/signature-referenced-from-multiple-fields": {
    validator: "pyHanko",
    says: /^signature-test2?: was true true true, is true true false$/,
    why: "as of check_custom_rotate270_10_20",
    ofItself: null,
  },
};

const LONGEST_SECONDS = 10;

/** Leaves out the known remarks; one line each. */
export function faultsOf({
  file,
  outcome,
  reason,
  seconds,
  complaints,
}: CorpusRow): readonly string[] {
  const known = KNOWN_REMARKS[file];
  const unexplained = VALIDATORS.flatMap((validator) =>
    (complaints?.[validator] ?? [])
      .filter((complaint) => known?.validator !== validator || !known.says.test(complaint))
      .map((complaint) => `${validator}: ${complaint}`),
  );
  const slow = seconds > LONGEST_SECONDS ? [`seconds: ${seconds.toFixed(1)}`] : [];
  return [...(outcome === "crash" ? [`outcome: ${reason}`] : []), ...slow, ...unexplained];
}

export function renderCorpus(rows: readonly CorpusRow[]): string {
  const count = (outcome: CorpusRow["outcome"]): number =>
    rows.filter((row) => row.outcome === outcome).length;
  const lines = rows.map(
    (row) =>
      `| ${[row.file, row.outcome, row.reason || "–", ...VALIDATORS.map((one) => verdict(row, one))].join(" | ")} |`,
  );
  const files = new Set(rows.map(({ file }) => file));
  const known = Object.entries(KNOWN_REMARKS).filter(([file]) => files.has(file));
  const remarks = known.map(([file, { validator, why }]) => `- \`${file}\`, ${validator}: ${why}.`);
  return `# What becomes of each file of the corpus

Recorded and compared by \`corpus.test.ts\`. Each file is looked at, normalised when it must be, prepared, signed by two people who fill every kind
of field, archived at PAdES-B-LTA, renewed two years later, and judged then. \`ok\`: the validator says that each of our signatures is valid (DSS:
PAdES-BASELINE-LTA and TOTAL_PASSED, without error or warning; ours: \`validate\`; over: the same of fields laid over what the page has; pyHanko: AdES-LTA passed, revocation required, no change beyond form filling and archiving)
and judges the signatures that came with the file as it did before. \`–\`: not signed.
pixels: each page of a corrected copy looks as the original's, drawn by PDFium at 100 dpi, annotations included.

${rows.length} files: ${count("accepted")} accepted as they are, ${count("normalised")} normalised with the sender's consent, ${count("refused")} refused.

| file | outcome | findings, or why refused | ${VALIDATORS.join(" | ")} |
| --- | --- | --- | ${VALIDATORS.map(() => "---").join(" | ")} |
${lines.join("\n")}

Remarks that are about the file, whoever signs it:

${remarks.join("\n")}
`;
}

function verdict({ file, complaints }: CorpusRow, validator: (typeof VALIDATORS)[number]): string {
  if (!complaints) return "–";
  if (complaints[validator].length === 0) return "ok";
  return KNOWN_REMARKS[file]?.validator === validator ? "remark" : "**complaint**";
}
