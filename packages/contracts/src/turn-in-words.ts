import { ofName } from "./of-name.ts";

/** Who signs before somebody: how many, and, for whoever has proved who they are, their names in order; else none. */
export type SignsBefore = { readonly count: number; readonly names: readonly string[] };

/** As many as a sentence can name. */
const NAMED = 3;

/** Says to somebody whose turn has not come whose signature it waits for. `isTold`: they get a message then; else they come back by themselves. */
export function turnInWords(before: SignsBefore, isTold: boolean): string {
  return `Ce n’est pas encore votre tour. ${isTold ? "Vous recevrez un message" : "Revenez sur cette page"} ${whenInWords(before)}.`;
}

/** Gives the moment alone: « après la signature de Paul Martin ». */
export function whenInWords({ count, names }: SignsBefore): string {
  if (count === 0) return "le moment venu";
  const [last, ...others] = names.toReversed().map(ofName);
  if (last === undefined || names.length > NAMED)
    return count === 1
      ? "après la signature de la personne qui vous précède"
      : `après les signatures des ${count}\u00a0personnes qui vous précèdent`;
  return others.length === 0 ? `après la signature ${last}` : `après les signatures ${others.toReversed().join(", ")} et ${last}`;
}
