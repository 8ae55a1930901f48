import type { RankPlace } from "./recipient-ranks.ts";
import { useRowDrag } from "./use-row-drag.ts";

/**
 * Drags a recipient by its handle: near the top or bottom edge of another row it goes before or after that one's rank, over its middle it joins it.
 * The rows bear `data-recipient`.
 */
export function useRankDrag(onDrop: (key: string, place: RankPlace) => void) {
  return useRowDrag<RankPlace>({ placeAt, onDrop });
}

function placeAt(y: number, dragged: string): RankPlace | null {
  for (const row of document.querySelectorAll<HTMLElement>("[data-recipient]")) {
    const { top, bottom, height } = row.getBoundingClientRect();
    const key = row.dataset["recipient"] ?? "";
    if (y < top || y > bottom || key === dragged) continue;
    const at = (y - top) / height;
    return { key, where: at < 0.3 ? "before" : at > 0.7 ? "after" : "with" };
  }
  return null;
}
