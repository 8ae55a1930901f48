import { PROOF_SCHEMA_PATH, type ProofFile, proofFileSchema } from "@paraphe/contracts/proof-file";

/** Gives a `preuve.json` as read, its content as JSON has it; null for what is none. */
export type ReadProofFile = { readonly file: ProofFile; readonly content: unknown };

/**
 * Reads a `preuve.json`: as the service writes it, to the byte (a final line feed may stand there or not), so that no byte of it can change unseen.
 * Source: RFC 8259; the layout of ECMAScript's `JSON.stringify` with two spaces.
 */
export function readProofFile(bytes: Uint8Array): ReadProofFile | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const raw = JSON.parse(text) as { readonly proof?: unknown };
    if (JSON.stringify(raw, null, 2) !== (text.endsWith("\n") ? text.slice(0, -1) : text)) return null;
    const read = proofFileSchema.safeParse(raw);
    if (!read.success || read.data.$schema !== `${read.data.proof.service}${PROOF_SCHEMA_PATH}`) return null;
    return { file: read.data, content: raw.proof };
  } catch {
    // A file that somebody brings may be anything.
    return null;
  }
}
