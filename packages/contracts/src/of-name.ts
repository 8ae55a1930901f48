/** Y is a vowel before a consonant (« d’Yves »), and none before a vowel (« de Yann »); what begins with H is left whole. */
const ELIDES = /^(?:[aeiouœæ]|y(?![aeiou]))/iu;

/** Gives « de Paul », « d’Anne »: the preposition elided before a vowel. */
export function ofName(name: string): string {
  return ELIDES.test(name.trim().normalize("NFD")) ? `d’${name}` : `de ${name}`;
}
