import { Disclosed } from "../ui/menu/disclosed.tsx";
import { type PdfToolbarProps, ZoomTools } from "./pdf-toolbar.tsx";
import styles from "./pdf-viewer.module.css";

/** The label opens the zoom; a heading has the whole bar. */
export function PageLabelBar({ heading, current, count, ...zoom }: PdfToolbarProps) {
  return (
    <>
      {heading === null ? null : (
        <div className={styles.bar}>
          <div className={styles.heading}>{heading}</div>
        </div>
      )}
      <div className={styles.bar} data-floating role="toolbar" aria-label="Affichage du document">
        {count > 0 ? (
          <Disclosed
            triggerClassName={styles.pill}
            trigger={<span>{`Page ${current} sur ${count}`}</span>}
          >
            {() => (
              <div className={styles.zoomTools}>
                <ZoomTools {...zoom} />
              </div>
            )}
          </Disclosed>
        ) : null}
      </div>
    </>
  );
}
