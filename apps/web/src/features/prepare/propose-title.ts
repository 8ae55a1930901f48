/** Gives a title a person would write from a file name: « contrat_v2-final.pdf » becomes « Contrat v2 final ». */
export function proposeTitle(fileName: string): string {
  const words = fileName
    .normalize("NFC")
    .replace(/\.pdf$/i, "")
    .replace(/[_-]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return words === "" ? "" : (words[0] ?? "").toLocaleUpperCase("fr") + words.slice(1, 200);
}
