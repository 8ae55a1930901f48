type Keyboard = "text" | "tel" | "email" | "numeric";

/** A keyboard of figures alone holds no letter: only for answers that have none. */
const KEYBOARDS: readonly (readonly [RegExp, Keyboard])[] = [
  [/(^|\P{L})(t[ée]l|t[ée]l[ée]phone|portable|mobile)(\P{L}|$)/iu, "tel"],
  [/(^|\P{L})(e-?mail|m[ée]l|courriel|adresse [ée]lectronique)(\P{L}|$)/iu, "email"],
  [/(^|\P{L})(code postal|siren|siret)(\P{L}|$)/iu, "numeric"],
];

/** Gives the keyboard that a phone shows for a field, by what its sender called it. Source: HTML, `inputmode`. */
export function keyboardFor(label: string): Keyboard {
  return KEYBOARDS.find(([words]) => words.test(label))?.[1] ?? "text";
}
