/**
 * Y is a vowel before a consonant (« d’Yves »), and none before a vowel (« de Yann »);
 * what begins with H is left whole.
 */
const ELIDES = /^(?:[aeiouœæ]|y(?![aeiou]))/iu;

/** Gives « de Paul », « d’Anne »: the preposition elided before a vowel. */
export function ofName(name: string): string {
  return ELIDES.test(name.trim().normalize("NFD")) ? `d’${name}` : `de ${name}`;
}

/** Gives a text as a search compares it: without regard for case or accents. */
export function foldText(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}+/gu, "")
    .toLocaleLowerCase("fr-FR");
}

/** Gives a sentence with a capital at its head. */
export function capitalised(text: string): string {
  return text.charAt(0).toLocaleUpperCase("fr-FR") + text.slice(1);
}

/** Gives a sentence as it stands after a colon: its first letter small. */
export function uncapitalised(text: string): string {
  return text.charAt(0).toLocaleLowerCase("fr-FR") + text.slice(1);
}

/** « Anne, Paul et Yves ». */
export function andList(items: readonly string[]): string {
  return new Intl.ListFormat("fr-FR").format(items);
}

/** « Anne, Paul ou Yves ». */
export function orList(items: readonly string[]): string {
  return new Intl.ListFormat("fr-FR", { type: "disjunction" }).format(items);
}
