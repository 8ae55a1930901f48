import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MADE = fileURLToPath(new URL("../../../../shared/corpus/made/", import.meta.url));

/** Why corpus tests are skipped, or false when the corpus is there. */
export const missingCorpus: string | false = existsSync(MADE)
  ? false
  : "../shared/corpus is not there";

export const corpusFile = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(`${MADE}${name}.pdf`));

/** A file of the public collections. */
export const publicFile = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(`${MADE}../public/${name}.pdf`));

/** A file that an outside trial found fault with us by. */
export const trialFile = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(`${MADE}../trials/${name}.pdf`));

/** Sound files that must sign, one structural case each. */
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
