import { useDelayed } from "../../lib/use-delayed.ts";
import styles from "./full-loader.module.css";

/** Shown after 300 ms, so that a fast page shows nothing. */
export function FullLoader({ label = "Chargement…" }: { readonly label?: string }) {
  const shown = useDelayed(true, 300);
  return (
    <div className={styles["loader"]} aria-busy="true">
      {shown && (
        <>
          <span className={styles["spin"]} aria-hidden="true" />
          <span role="status">{label}</span>
        </>
      )}
    </div>
  );
}
