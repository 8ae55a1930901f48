import type { QueryClient } from "@tanstack/react-query";
import type { LiveSignal } from "./live-signal.ts";

/** Lists and figures are read again at most this often: a busy minute changes many envelopes. */
const LISTS_MS = 1_000;

/** Gives what brings a signal to what was read: the shown is read again, the rest when it is shown. */
export function applySignals(client: QueryClient): (signal: LiveSignal) => void {
  let waiting = false;
  let last = Number.NEGATIVE_INFINITY;
  const readListsAgain = () => {
    waiting = false;
    last = performance.now();
    void client.invalidateQueries({ queryKey: ["envelopes", "list"] });
    void client.invalidateQueries({ queryKey: ["dashboard"] });
  };
  return (signal) => {
    if (signal.kind === "counts") {
      // One that was asked before and comes after would put the old figures back.
      void client.cancelQueries({ queryKey: COUNTS });
      client.setQueryData(COUNTS, signal.counts);
      return;
    }
    if (signal.kind === "refresh") {
      void client.invalidateQueries({ queryKey: ["envelopes"] });
      void client.invalidateQueries({ queryKey: ["dashboard"] });
      return;
    }
    void client.invalidateQueries({ queryKey: ["envelopes", "detail", signal.event.id] });
    void client.invalidateQueries({ queryKey: ["envelopes", "events", signal.event.id] });
    if (waiting) return;
    waiting = true;
    setTimeout(readListsAgain, Math.max(0, last + LISTS_MS - performance.now()));
  };
}

const COUNTS = ["envelopes", "counts"] as const;
