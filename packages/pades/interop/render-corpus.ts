import { type CorpusRow, VALIDATORS } from "./judge-corpus.ts";
import { KNOWN_REMARKS } from "./known-remarks.ts";

/** Gives the table of the corpus, Markdown. Nothing in it depends on the machine. */
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
