import { MAX_TITLE_LENGTH, titleOfFile } from "@paraphe/contracts";

/** Gives a title a person would write from a file name: « contrat_v2-final.pdf » becomes « Contrat v2 final ». */
export function proposeTitle(fileName: string): string {
  const words =
    titleOfFile(fileName.normalize("NFC"))
      .replace(/[\s_-]+/g, " ")
      .trim() || "Document";
  return (words[0] ?? "").toLocaleUpperCase("fr") + words.slice(1, MAX_TITLE_LENGTH);
}
