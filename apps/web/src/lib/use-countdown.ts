import { useEffect, useState } from "react";

/**
 * Counts whole seconds down to 0 from the moment `until` (milliseconds since 1970) is set.
 * It reads the clock instead of counting ticks: a phone asleep wakes at the right number.
 */
export function useCountdown(until: number | undefined): number {
  const [now, setNow] = useState(() => Date.now());
  const left = until === undefined ? 0 : Math.max(0, Math.ceil((until - now) / 1000));
  const running = left > 0;

  useEffect(() => {
    if (until === undefined) return undefined;
    setNow(Date.now());
    if (!running && until <= Date.now()) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [until, running]);

  return left;
}
