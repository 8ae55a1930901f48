import type { JudgedFile } from "./judge-proof.ts";

/** What a validation notes and holds against nobody: a new one does not fit where its report is handed over. */
type SignatureWarning = "issuer_serial_differs" | "signing_time_attribute";

/** Source: EN 319 102-1 §5.2.3.4, EN 319 142-1 §6.3, table 1. */
const SENTENCES: Readonly<Record<SignatureWarning, string>> = {
  issuer_serial_differs:
    "Une signature désigne son certificat par la bonne empreinte, mais avec un émetteur ou un numéro de série qui ne sont pas les siens.",
  signing_time_attribute:
    "Une signature porte une date à un endroit que le format PAdES n’admet pas\u00a0: aucun niveau PAdES ne lui est reconnu.",
};

/** Gives what is noted of one signature, in sentences. */
export const warningsOfSignature = (warnings: readonly SignatureWarning[]): readonly string[] =>
  warnings.map((warning) => SENTENCES[warning]);

/** Gives what is noted of the signatures of these files, each sentence once. */
export function warningsOfFiles(files: readonly JudgedFile[]): string[] {
  return [...new Set(files.flatMap(({ signatures }) => signatures).flatMap(({ warnings }) => warnings))];
}
