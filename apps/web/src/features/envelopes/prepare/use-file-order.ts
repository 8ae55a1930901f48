import { announce } from "../../../lib/announce.ts";
import { changeFiles } from "./change-files.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import { envelopeCalls } from "./envelope-calls.ts";
import { type FilePlace, placeFile, stepFile } from "./file-order.ts";
import { useRowDrag } from "./use-row-drag.ts";

/** The order of the files, by a handle or by keys. The new order is made from the one the service has when its turn comes: two quick presses are two steps. */
export function useFileOrder(keeper: DraftKeeper) {
  const reorder = (moved: string, change: (ids: readonly string[]) => readonly string[]) =>
    changeFiles(keeper, {
      async make(envelope) {
        const ids = envelope.documents.map((document) => document.id);
        const order = change(ids);
        if (order.every((id, index) => id === ids[index])) return envelope;
        const name = envelope.documents.find((document) => document.id === moved)?.name ?? "";
        const changed = await envelopeCalls.patch(envelope, { order: [...order] });
        announce(`${name}\u00a0: position ${order.indexOf(moved) + 1} sur ${order.length}`);
        return changed;
      },
      failure: "L’ordre des fichiers n’a pas changé.",
    });
  const { drag, grab } = useRowDrag<FilePlace>({
    placeAt,
    onDrop: (moved, place) => reorder(moved, (ids) => placeFile(ids, moved, place)),
  });
  return { drag, grab, step: (moved: string, direction: "up" | "down") => reorder(moved, (ids) => stepFile(ids, moved, direction)) };
}

/** The rows bear `data-file`. */
function placeAt(y: number, dragged: string): FilePlace | null {
  for (const row of document.querySelectorAll<HTMLElement>("[data-file]")) {
    const { top, bottom, height } = row.getBoundingClientRect();
    const id = row.dataset["file"] ?? "";
    if (y < top || y > bottom || id === dragged) continue;
    return { id, where: (y - top) / height < 0.5 ? "before" : "after" };
  }
  return null;
}
