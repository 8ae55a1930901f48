import { contentOperations } from "../inspect/hide-content.ts";

/** A content that closes no graphics state that it did not open, and how many of its own it leaves open. */
export type BalancedContent = { readonly text: string; readonly isChanged: boolean; readonly open: number };

/**
 * Takes out of a page's content each `Q` that readers pass over because nothing is saved: once something is saved before the content, so
 * that more can be drawn behind it, such a `Q` would not be passed over any more.
 * Source: ISO 32000-2 §8.4.2.
 */
export function balanceContent(text: string): BalancedContent {
  let open = 0;
  let from = 0;
  let kept = "";
  for (const { operator, start, end } of contentOperations(text)) {
    if (operator === "q") open += 1;
    else if (operator === "Q" && open > 0) open -= 1;
    else if (operator === "Q") {
      kept += `${text.slice(from, start)}\n`;
      from = end;
    }
  }
  return { text: kept + text.slice(from), isChanged: from > 0, open };
}
