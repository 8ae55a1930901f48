import { useEffect, useState } from "react";

/**
 * Seconds left until `until` (epoch milliseconds), read from the clock: right after a phone's
 * sleep.
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
