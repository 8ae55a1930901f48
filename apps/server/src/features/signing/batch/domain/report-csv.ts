import type { BatchItemStatus } from "@paraphe/contracts";

export type ReportLine = {
  readonly name: string;
  readonly status: BatchItemStatus;
  readonly detail: string | null;
  /** The entry of the archive; null without one. */
  readonly file: string | null;
  readonly sha256: string | null;
  readonly envelopeId: string | null;
};

const STATUS_WORDS: Readonly<Record<BatchItemStatus, string>> = {
  queued: "En file",
  running: "En cours",
  done: "Signé",
  failed: "Échec",
  cancelled: "Annulé",
};
const HEADINGS = ["Fichier", "État", "Motif", "Fichier signé", "SHA-256", "Enveloppe"];
/** Spreadsheets read such a text as a formula. */
const FORMULA = /^[=+\-@\t\r]/u;

/** The report for French spreadsheets: semicolons, UTF-8 with BOM, CRLF (RFC 4180), no formulas. */
export function reportCsv(lines: readonly ReportLine[]): string {
  const rows = lines.map((line) => [
    line.name,
    STATUS_WORDS[line.status],
    line.detail ?? "",
    line.file ?? "",
    line.sha256 ?? "",
    line.envelopeId ?? "",
  ]);
  return `\ufeff${[HEADINGS, ...rows].map((cells) => cells.map(cell).join(";")).join("\r\n")}\r\n`;
}

const MUST_QUOTE = ['"', ";", "\r", "\n"];

function cell(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return MUST_QUOTE.some((character) => plain.includes(character))
    ? `"${plain.replaceAll('"', '""')}"`
    : plain;
}
