import type { Envelope } from "@paraphe/contracts";
import { announce } from "../../../../lib/browser/announce.ts";
import { callMessage } from "../../../../lib/api/api-error.ts";
import { showToast } from "../../../../ui/toast/toast-store.ts";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import { envelopeCalls } from "../draft/envelope-calls.ts";
import { useRowDrag } from "../use-row-drag.ts";

export type FilePlace = { readonly id: string; readonly where: "before" | "after" };

export function placeFile(
  ids: readonly string[],
  moved: string,
  { id, where }: FilePlace,
): readonly string[] {
  const others = ids.filter((other) => other !== moved);
  const at = others.indexOf(id);
  if (at < 0 || others.length === ids.length) return ids;
  return others.toSpliced(where === "before" ? at : at + 1, 0, moved);
}

export function stepFile(
  ids: readonly string[],
  moved: string,
  direction: "up" | "down",
): readonly string[] {
  const at = ids.indexOf(moved);
  const beside = ids[direction === "up" ? at - 1 : at + 1];
  if (at < 0 || beside === undefined) return ids;
  return placeFile(ids, moved, { id: beside, where: direction === "up" ? "before" : "after" });
}

type FileChange = {
  /** Called with the newest envelope when its turn comes. */
  readonly make: (envelope: Envelope) => Promise<Envelope>;
  /** The toast of a failure. */
  readonly failure: string;
};

/** Changes the files of an envelope between two saves; a failure changes nothing. */
export function changeFiles(keeper: DraftKeeper, { make, failure }: FileChange): void {
  keeper
    .exclusively((envelope) => {
      if (!envelope) throw new Error("no envelope to change");
      return make(envelope);
    })
    .catch((error: unknown) =>
      showToast("err", callMessage(error, `${failure} Réessayez dans un instant.`)),
    );
}

/** The order comes from the newest envelope: two quick presses are two steps. */
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
  return {
    drag,
    grab,
    step: (moved: string, direction: "up" | "down") =>
      reorder(moved, (ids) => stepFile(ids, moved, direction)),
  };
}

/** Rows bear `data-file`. */
function placeAt(y: number, dragged: string): FilePlace | null {
  for (const row of document.querySelectorAll<HTMLElement>("[data-file]")) {
    const { top, bottom, height } = row.getBoundingClientRect();
    const id = row.dataset["file"] ?? "";
    if (y < top || y > bottom || id === dragged) continue;
    return { id, where: (y - top) / height < 0.5 ? "before" : "after" };
  }
  return null;
}
