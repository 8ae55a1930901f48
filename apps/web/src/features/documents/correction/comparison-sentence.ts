import type { Comparison } from "./use-comparison.ts";

const listed = (pages: readonly number[]): string => new Intl.ListFormat("fr").format(pages.map(String));

/** Says how far the comparison is, then what it found. */
export function comparisonSentence({ state, differences, unread, from, pageCount, reason }: Comparison): string {
  if (state === "failed") return reason ?? "";
  if (state === "comparing")
    return `Comparaison de la copie corrigée avec l’original${pageCount > 1 ? `\u00a0: page ${from} sur ${pageCount}` : ""}…`;
  const found = differences.length === 0 ? sameSentence({ unread, pageCount }) : differencesSentence(differences.map(({ page }) => page));
  const rest = state === "paused" ? "Les pages suivantes ne sont pas encore comparées." : "";
  return [found, unreadSentence(unread), rest].filter(Boolean).join(" ");
}

/** What could not be compared is not said to look the same. */
function sameSentence({ unread, pageCount }: Pick<Comparison, "unread" | "pageCount">): string {
  if (unread.length === 0) return "La copie corrigée a le même aspect que l’original.";
  return unread.length < pageCount ? "Les pages comparées ont le même aspect que l’original." : "";
}

function differencesSentence(pages: readonly number[]): string {
  if (pages.length === 1) return `La page ${listed(pages)} change d’aspect dans la copie corrigée\u00a0: comparez-la avant d’accepter.`;
  return `Les pages ${listed(pages)} changent d’aspect dans la copie corrigée\u00a0: comparez-les avant d’accepter.`;
}

function unreadSentence(pages: readonly number[]): string {
  if (pages.length === 0) return "";
  return pages.length === 1
    ? `La page ${listed(pages)} n’a pas pu être comparée\u00a0: relisez-la une fois la copie acceptée.`
    : `Les pages ${listed(pages)} n’ont pas pu être comparées\u00a0: relisez-les une fois la copie acceptée.`;
}
