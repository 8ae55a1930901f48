import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MADE = fileURLToPath(new URL("../../../../shared/corpus/made/", import.meta.url));

export const missingCorpus: string | false = existsSync(MADE)
  ? false
  : "../shared/corpus is not there";

export const corpusFile = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(`${MADE}${name}.pdf`));

export const publicFile = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(`${MADE}../public/${name}.pdf`));

/** A file in which an outside trial found a fault of ours. */
export const trialFile = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(`${MADE}../trials/${name}.pdf`));

/** Sound files that must be signable, one structural case each. */
export const SIGNABLE = [
  "base50k",
  "objstm",
  "hybrid",
  "linear",
  "linear_objstm",
  "rot90",
  "rot180",
  "rot270",
  "cropbox",
  "acroform",
  "lo_pdfa2b",
  "lo_plain",
  "pdf20",
  "gs",
  "mutool",
  "emptysig",
  "pages1000",
] as const;
