/** « d’Yves », but « de Yann »; of those in H, the names whose H is known to be mute. */
const ELIDES = /^(?:[aeiouœæ]|y(?![aeiou])|h(?:el[eio]|enr|erm|erv|ono|ort|ub|ugue|yac))/iu;

/** « de Paul », « d’Anne ». */
export function ofName(name: string): string {
  return ELIDES.test(bare(name.trim())) ? `d’${name}` : `de ${name}`;
}

const bare = (text: string): string => text.normalize("NFKD").replace(/\p{M}+/gu, "");

/** Folds to lower case without accents, with ligatures expanded and single spaces. */
export function foldText(text: string): string {
  return bare(text.toLowerCase())
    .replace(/œ/gu, "oe")
    .replace(/æ/gu, "ae")
    .replace(/ß/gu, "ss")
    .replace(/ø/gu, "o")
    .replace(/[łđ]/gu, (letter) => (letter === "ł" ? "l" : "d"))
    .replace(/[’‘]/gu, "'")
    .replace(/\s+/gu, " ")
    .trim();
}

export function capitalised(text: string): string {
  return text.charAt(0).toLocaleUpperCase("fr-FR") + text.slice(1);
}

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

/** « Paul Martin, pour Anne Roux, par délégation ». */
export function onBehalf(delegate: string, delegator: string): string {
  return `${delegate}, pour ${delegator}${BY_DELEGATION}`;
}
const BY_DELEGATION = ", par délégation";

/** What a signer's or a visa's refusal is called, after its subject. */
export const refusedBy = (role: unknown): string =>
  role === "visa" ? "a refusé son visa" : "a refusé de signer";

/** The subject of a verb: who acts, for whom. */
export function actingSubject(holder: string, delegate: string | null | undefined): string {
  return delegate ? asSubject(onBehalf(delegate, holder)) : holder;
}

export const asSubject = (who: string): string => (who.endsWith(BY_DELEGATION) ? `${who},` : who);

/** Letters to add, drop, replace or swap with a neighbour (Damerau and Levenshtein). */
export function editDistance(one: string, other: string): number {
  let [before, last]: [number[], number[]] = [
    [],
    Array.from({ length: other.length + 1 }, (_, index) => index),
  ];
  for (let row = 1; row <= one.length; row += 1) {
    const here = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      here[column] = Math.min(
        at(last, column) + 1,
        at(here, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, here];
  }
  return at(last, other.length);
}

const at = (row: readonly number[], index: number) => row[index] ?? Number.POSITIVE_INFINITY;
