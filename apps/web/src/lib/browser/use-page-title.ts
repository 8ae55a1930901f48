import { useEffect } from "react";
import { announce } from "./announce.ts";

let isFirstPage = true;

/**
 * Sets « {Titre} – Paraphe »; after a navigation focuses the `h1` (`tabIndex={-1}`) and announces
 * the title. The first page keeps the browser's focus.
 */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – Paraphe`;
  }, [title]);

  useEffect(() => {
    if (isFirstPage) {
      isFirstPage = false;
      return;
    }
    window.scrollTo(0, 0);
    document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
    announce(document.title.replace(/ – Paraphe$/, ""));
  }, []);
}
