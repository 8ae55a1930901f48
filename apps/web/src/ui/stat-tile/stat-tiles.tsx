import type { ReactNode } from "react";
import styles from "./stat-tile.module.css";

/** A strip of four tiles. */
export function StatTiles({ children, busy = false }: { readonly children: ReactNode; readonly busy?: boolean }) {
  return (
    <div className={styles["tiles"]} aria-busy={busy || undefined}>
      {children}
    </div>
  );
}
