import { LONGEST_SHOWN, type ShownText } from "./shown-text.ts";

/** Letters that have no accent to be taken off, and signs that producers write one for the other. */
const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u2039\u203a`]/g, "'"],
  [/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/\u2044/g, "/"],
  [/\u2022/g, "*"],
  [/\u00c6/g, "AE"],
  [/\u00e6/g, "ae"],
  [/\u0152/g, "OE"],
  [/\u0153/g, "oe"],
  [/\u00df/g, "ss"],
  [/\u00d8/g, "O"],
  [/\u00f8/g, "o"],
  [/\u0141/g, "L"],
  [/\u0142/g, "l"],
  [/[\u00d0\u0110]/g, "D"],
  [/[\u00f0\u0111]/g, "d"],
  [/\u0131/g, "i"],
];
/** Marks without a letter, spaces, ends of line, what is not drawn. */
const UNDRAWN = /[\p{M}\p{Z}\p{Cc}\p{Cf}\u02c6-\u02dd]/gu;
/** What stands for itself: letters of the West, digits, and the signs that its fonts have. Elsewhere order and shapes say other than codes. */
const TOLD = /^[!-~\u00a1-\u00b7\u00bf\u00d7\u00de\u00f7\u00fe\u0192\u03bc\u2020\u2021\u2030\u20ac]*$/;

/** Gives a text without what producers draw each in their way; null for one of which that cannot be told. */
function folded(text: string): string | null {
  const plain = ALIKE.reduce((so, [from, to]) => so.replace(from, to), text.normalize("NFKD")).replace(UNDRAWN, "");
  return TOLD.test(plain) ? plain : null;
}

/**
 * Says whether a look surely says other than the value it is the look of: both are told in full, and differ in more than spaces, ends of
 * line, accents or the way in which a number is written. A look that draws without letters (a mark, a bar code) says nothing.
 */
export function saysOther({ text, paints }: ShownText, value: string): boolean {
  if (text !== null && text.length > LONGEST_SHOWN) return true;
  const shown = text === null ? null : folded(text);
  const meant = folded(value);
  if (shown === null || meant === null || shown === meant || (shown === "" && paints)) return false;
  return !areOneNumber(text ?? "", value) && !isGrouped(text ?? "", value);
}

/**
 * Says whether two texts are of the same letters, in whatever order: those that are joined, or go from right to left, are drawn in other
 * shapes and another order than they are read.
 */
export function hasSameLetters(left: string, right: string): boolean {
  const lettersOf = (text: string): string => Array.from(text.normalize("NFKD").replace(UNDRAWN, "")).toSorted().join("");
  return lettersOf(left) === lettersOf(right);
}

/** Telephone and social security numbers are shown in groups. Shorter ones might be sums, which a sign changes. */
function isGrouped(text: string, value: string): boolean {
  return /^\d{7,}$/.test(value.trim()) && /^\(?\d+(?:[() -]+\d+)*$/.test(text.trim()) && text.replace(/\D/g, "") === value.trim();
}

/** A number may be shown with its groups, its currency, fewer decimals, or as a percentage. */
function areOneNumber(text: string, value: string): boolean {
  const meant = value.trim();
  if (!/^[-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)$/.test(meant)) return false;
  const exact = Number(meant.replace(",", "."));
  return readings(text).some(({ number, step }) => Math.abs(number - exact) <= step * 0.501);
}

type Reading = { readonly number: number; readonly step: number };

/** Gives what a number may mean: the last point or comma begins its decimals, or its last group of thousands. `step`: of its last digit. */
function readings(text: string): readonly Reading[] {
  const plain = text.replace(/[\s\u00a0\u202f']/g, "");
  const [digits, ...more] = plain.match(/\d[\d.,]*/g) ?? [];
  if (digits === undefined || more.length > 0) return [];
  const isNegative = /[-\u2212(]/.test(plain.slice(0, plain.indexOf(digits)));
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  const decimals = last < 0 ? 0 : digits.length - 1 - last;
  const whole = Number(digits.replace(/\D/g, ""));
  const ways = decimals > 0 ? [10 ** -decimals, ...(decimals === 3 ? [1] : [])] : [1];
  const scale = plain.includes("%") ? [1, 0.01] : [1];
  return ways.flatMap((way) => scale.map((part) => ({ number: (isNegative ? -1 : 1) * whole * way * part, step: way * part })));
}
