import { ViewerSkeleton } from "../../pdf/viewer-skeleton.tsx";
import { Skeleton } from "../../ui/skeleton/skeleton.tsx";
import headStyles from "./signing-head.module.css";
import styles from "./signing-desk.module.css";

/** The desk while what it shows is on its way: its head, its first page and its dock, each of the size it will have. */
export function DeskSkeleton({ under }: { readonly under: "top-bar" | "nothing" }) {
  return (
    <div className={styles.desk} data-under={under} data-mode="pages">
      <div className={headStyles.head}>
        <Skeleton width={40} height={40} />
        <div className={headStyles.title}>
          <Skeleton width="60%" height={16} />
          <Skeleton width="40%" />
        </div>
      </div>
      <main className={styles.main} id="contenu">
        <div className={styles.reading}>
          <ViewerSkeleton label="Ouverture du document" />
        </div>
        <div className={`${styles.side} ge-rail`} />
      </main>
      <div className={`${styles.dock} lt-rail`}>
        <Skeleton width="50%" height={24} />
        <Skeleton width="100%" height={48} />
      </div>
    </div>
  );
}
