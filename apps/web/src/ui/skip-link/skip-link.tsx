import type { MouseEvent } from "react";
import styles from "./skip-link.module.css";

/** The first stop of the Tab order: jumps over the bars to the content. The address keeps its fragment, which may be what the page is asked about. */
export function SkipLink() {
  return (
    <a className={styles["skip"]} href="#contenu" onClick={skip}>
      Aller au contenu
    </a>
  );
}

function skip(event: MouseEvent): void {
  const content = document.getElementById("contenu");
  if (content === null) return;
  event.preventDefault();
  if (!content.hasAttribute("tabindex")) content.tabIndex = -1;
  content.focus();
}
