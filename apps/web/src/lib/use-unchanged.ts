import { useState } from "react";

/** Gives a value anew only when it has changed: what is told again, as by an answer of the service, stays the object that it was. */
export function useUnchanged<T>(given: T, isSame: (before: T, after: T) => boolean): T {
  const [kept, setKept] = useState(given);
  if (kept === given || isSame(kept, given)) return kept;
  setKept(given);
  return given;
}
