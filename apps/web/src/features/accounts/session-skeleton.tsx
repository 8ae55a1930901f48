import { useDelayed } from "../../lib/use-delayed.ts";
import { Skeleton } from "../../ui/skeleton/skeleton.tsx";
import { SkeletonRows } from "../../ui/skeleton/skeleton-rows.tsx";
import styles from "./session-skeleton.module.css";

/** The frame of a page while it is not known who asks for it; shown after 300 ms, so that a fast answer shows nothing. */
export function SessionSkeleton() {
  const shown = useDelayed(true, 300);
  if (!shown) return <div className={styles["frame"]} aria-busy="true" />;
  return (
    <div className={styles["frame"]} aria-busy="true">
      <div className={styles["bar"]} aria-hidden="true">
        <Skeleton width={110} height={22} />
        <Skeleton width={180} height={14} />
      </div>
      <main className="main stack stack--lg" id="contenu">
        <Skeleton width={240} height={30} />
        <div className="card">
          <SkeletonRows rows={5} label="Chargement de votre session…" />
        </div>
      </main>
    </div>
  );
}
