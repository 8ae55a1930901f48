import { useSyncExternalStore } from "react";
import { useHeightIn } from "../editor-frame/editor-frame.tsx";
import { Icon } from "../icon/icon.tsx";
import styles from "./offline-banner.module.css";

/** `children`: what the page offers meanwhile. */
export function OfflineBanner({ children }: { readonly children: string }) {
  const offline = useSyncExternalStore(listen, () => !navigator.onLine);
  const place = useHeightIn("--offline-h");
  return (
    <div role="status" className={styles["place"]} ref={place}>
      {offline && (
        <p className={styles["banner"]}>
          <Icon name="warning" size="sm" />
          {`Vous êtes hors ligne. ${children}`}
        </p>
      )}
    </div>
  );
}

function listen(changed: () => void): () => void {
  window.addEventListener("online", changed);
  window.addEventListener("offline", changed);
  return () => {
    window.removeEventListener("online", changed);
    window.removeEventListener("offline", changed);
  };
}
