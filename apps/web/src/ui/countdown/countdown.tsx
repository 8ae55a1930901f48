import { useEffect, useRef, type ReactNode } from "react";
import { announce } from "../../lib/browser/announce.ts";
import { useCountdown } from "../../lib/use-countdown.ts";

type Props = {
  /** Milliseconds since 1970. */
  readonly until: number | undefined;
  readonly children: (secondsLeft: number) => ReactNode;
  /** The only announcement. */
  readonly endAnnouncement?: string;
  readonly onEnd?: () => void;
};

/** Disappears at its end. */
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
