import type { MouseEvent } from "react";
import styles from "./skip-link.module.css";

/** The first Tab stop. The address's fragment stays: a page may read it. */
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
