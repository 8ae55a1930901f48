import { MAX_FILE_SIZE_BYTES, MAX_TITLE_LENGTH, titleOfFile } from "@paraphe/contracts";

/** Gives why a chosen file is refused before it is sent, in the specification's words (§5); null when it may be sent. */
export function checkFile(file: { readonly name: string; readonly size: number }): string | null {
  if (!/\.pdf$/i.test(file.name)) return "Seuls les fichiers PDF sont autorisés";
  if (file.size === 0) return "Le fichier est vide";
  if (file.size > MAX_FILE_SIZE_BYTES) return "Le fichier est trop volumineux (max 10MB)";
  return null;
}

/** Gives a title a person would write from a file name: « contrat_v2-final.pdf » becomes « Contrat v2 final ». */
export function proposeTitle(fileName: string): string {
  const words =
    titleOfFile(fileName.normalize("NFC"))
      .replace(/[\s_-]+/g, " ")
      .trim() || "Document";
  return (words[0] ?? "").toLocaleUpperCase("fr") + words.slice(1, MAX_TITLE_LENGTH);
}
