import { useEffect, useState } from "react";
import { announce } from "../../lib/announce.ts";
import { Countdown } from "../../ui/countdown/countdown.tsx";
import styles from "./guest-code.module.css";

const LAST_CALL_MS = 60_000;

/** How long the code still serves; read aloud at one minute, then at its end, never each second. */
export function CodeExpiry({ until }: { until: number }) {
  const [hasEnded, setHasEnded] = useState(until <= Date.now());
  useEffect(() => {
    setHasEnded(until <= Date.now());
    const wait = until - LAST_CALL_MS - Date.now();
    if (wait <= 0) return undefined;
    const timer = setTimeout(() => announce("Le code expire dans une minute."), wait);
    return () => clearTimeout(timer);
  }, [until]);
  if (hasEnded) return <p className={styles.expiry}>Ce code a expiré{"\u00a0"}: demandez-en un nouveau.</p>;
  return (
    <p className={styles.expiry}>
      <Countdown until={until} endAnnouncement="Le code a expiré. Demandez-en un nouveau." onEnd={() => setHasEnded(true)}>
        {(seconds) => `Expire dans ${formatMinutes(seconds)}`}
      </Countdown>
    </p>
  );
}

/** « 9 min 40 s ». */
function formatMinutes(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = `${seconds % 60}\u00a0s`;
  return minutes > 0 ? `${minutes}\u00a0min\u00a0${rest}` : rest;
}
