import { type ReactNode, useEffect } from "react";
import { announce } from "../../lib/browser/announce.ts";
import { classNames } from "../../lib/class-names.ts";

type Props = {
  readonly children: ReactNode;
  /** When it differs from the heading's text. */
  readonly title: string;
  readonly className?: string;
};

/** The page's `h1`: sets the document's title and takes the focus when the page opens. */
export function PageHeading({ children, title, className }: Props) {
  usePageTitle(title);
  return (
    <h1 className={classNames("h1", className)} tabIndex={-1}>
      {children}
    </h1>
  );
}

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
