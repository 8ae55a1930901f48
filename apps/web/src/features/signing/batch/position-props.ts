import type { ChosenMark } from "../chosen-mark.ts";
import type { ReadyFile } from "./batch-file.ts";
import type { Placing } from "./use-placing.ts";

/** What the second step is given, and tells. */
export type PositionProps = {
  readonly files: readonly ReadyFile[];
  readonly placing: Placing;
  readonly mark: ChosenMark | null;
  readonly ifFixable: "accept" | "refuse";
  /** Fraction sent, while the files are on their way. */
  readonly sending: number | null;
  readonly onMark: () => void;
  readonly onFixable: (choice: "accept" | "refuse") => void;
  readonly onExclude: (key: string) => void;
  readonly onBack: () => void;
  readonly onSign: () => void;
};
