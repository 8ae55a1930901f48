const USUAL = ["Signature complète", "Paraphe"] as const;

/** Proposes a name that no other signature has: the usual ones first. */
export function nextName(others: readonly { readonly name: string }[]): string {
  const taken = new Set(others.map(({ name }) => name.toLocaleLowerCase("fr")));
  const numbered = (count: number): string => (taken.has(`signature ${count}`) ? numbered(count + 1) : `Signature ${count}`);
  return USUAL.find((name) => !taken.has(name.toLocaleLowerCase("fr"))) ?? numbered(others.length + 1);
}
