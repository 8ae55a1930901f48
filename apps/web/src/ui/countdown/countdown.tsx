import { type ReactNode, useEffect, useRef, useState } from "react";
import { announce } from "../../lib/browser/announce.ts";

type Props = {
  /** Milliseconds since 1970. */
  readonly until: number | undefined;
  readonly children: (secondsLeft: number) => ReactNode;
  readonly endAnnouncement?: string;
  readonly onEnd?: () => void;
};

export function Countdown({ until, children, endAnnouncement, onEnd }: Props) {
  const left = useCountdown(until);
  const wasRunning = useRef(false);
  useEffect(() => {
    if (left > 0) {
      wasRunning.current = true;
      return;
    }
    if (!wasRunning.current) return;
    wasRunning.current = false;
    if (endAnnouncement !== undefined) announce(endAnnouncement);
    onEnd?.();
  }, [left, endAnnouncement, onEnd]);
  if (left === 0) return null;
  return (
    <span role="timer" aria-live="off" className="num">
      {children(left)}
    </span>
  );
}

/** Seconds until `until` (epoch milliseconds), by the clock, because a phone may sleep. */
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
