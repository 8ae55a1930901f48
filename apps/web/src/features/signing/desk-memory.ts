import { type ChosenMarks, NO_MARKS } from "./chosen-mark.ts";

/** What a signer has done that must outlive the screen: a code asked again half-way loses neither the mark nor the answers. */
export type DeskMemory = {
  marks: ChosenMarks;
  marked: ReadonlySet<string>;
  consent: boolean /** The last request tried and its key: the same request goes again under the same key. */;
  attempt: { body: string; key: string } | null;
};

/** Gives an empty memory. */
export function createDeskMemory(): DeskMemory {
  return { marks: NO_MARKS, marked: new Set(), consent: false, attempt: null };
}
