/** Beside which file another one lands. */
export type FilePlace = { readonly id: string; readonly where: "before" | "after" };

/** Gives the ids with one of them put before or after another; as they were when either is gone. */
export function placeFile(ids: readonly string[], moved: string, { id, where }: FilePlace): readonly string[] {
  const others = ids.filter((other) => other !== moved);
  const at = others.indexOf(id);
  if (at < 0 || others.length === ids.length) return ids;
  return others.toSpliced(where === "before" ? at : at + 1, 0, moved);
}

/** Gives the ids with one of them a place earlier or later; as they were at either end. */
export function stepFile(ids: readonly string[], moved: string, direction: "up" | "down"): readonly string[] {
  const at = ids.indexOf(moved);
  const beside = ids[direction === "up" ? at - 1 : at + 1];
  if (at < 0 || beside === undefined) return ids;
  return placeFile(ids, moved, { id: beside, where: direction === "up" ? "before" : "after" });
}
