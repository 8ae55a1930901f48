import { plural } from "../../../lib/format-numbers.ts";

/** Says how many signatures an account keeps. */
export function signaturesWords(count: number): string {
  return count === 0 ? "Aucune signature enregistrée" : plural(count, "signature enregistrée", "signatures enregistrées");
}
