/** Gives a text as a search compares it: without regard for case or accents. */
export function plainText(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}+/gu, "")
    .toLocaleLowerCase("fr-FR");
}
