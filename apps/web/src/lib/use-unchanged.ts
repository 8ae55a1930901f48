import { useState } from "react";

/** The earlier object as long as `isSame`. */
export function useUnchanged<T>(given: T, isSame: (before: T, after: T) => boolean): T {
  const [kept, setKept] = useState(given);
  if (kept === given || isSame(kept, given)) return kept;
  setKept(given);
  return given;
}
