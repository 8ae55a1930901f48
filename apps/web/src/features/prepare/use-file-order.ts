import { announce } from "../../lib/announce.ts";
import { callMessage } from "../../lib/call-message.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import { envelopeCalls } from "./envelope-calls.ts";
import { type FilePlace, placeFile, stepFile } from "./file-order.ts";
import { useRowDrag } from "./use-row-drag.ts";

/** The order of the files, by a handle or by keys. The new order is made from the one the service has when its turn comes: two quick presses are two steps. */
export function useFileOrder(keeper: DraftKeeper) {
  const reorder = (moved: string, change: (ids: readonly string[]) => readonly string[]) => {
    keeper
      .exclusively(async (envelope) => {
        if (!envelope) throw new Error("no envelope to change");
        const ids = envelope.documents.map((document) => document.id);
        const order = change(ids);
        if (order.every((id, index) => id === ids[index])) return envelope;
        const name = envelope.documents.find((document) => document.id === moved)?.name ?? "";
        const changed = await envelopeCalls.patch(envelope, { order: [...order] });
        announce(`${name}\u00a0: position ${order.indexOf(moved) + 1} sur ${order.length}`);
        return changed;
      })
      .catch((error: unknown) => showToast("err", callMessage(error, "L’ordre des fichiers n’a pas changé. Réessayez dans un instant.")));
  };
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
