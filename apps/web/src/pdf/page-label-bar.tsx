import { Disclosed } from "../ui/menu/disclosed.tsx";
import { type PdfToolbarProps, ZoomTools } from "./pdf-toolbar.tsx";
import styles from "./pdf-viewer.module.css";

/** The page label alone, which opens the zoom: over the pages, or in a bar where there is a heading. */
export function PageLabelBar({ heading, current, count, ...zoom }: PdfToolbarProps) {
  return (
    <div className={styles.bar} data-floating={heading === null || undefined} role="toolbar" aria-label="Affichage du document">
      {heading === null ? null : <div className={styles.heading}>{heading}</div>}
      {count > 0 ? (
        <Disclosed triggerClassName={styles.pill} trigger={<span>{`Page ${current} sur ${count}`}</span>}>
          {() => (
            <div className={styles.zoomTools}>
              <ZoomTools {...zoom} />
            </div>
          )}
        </Disclosed>
      ) : null}
    </div>
  );
}
