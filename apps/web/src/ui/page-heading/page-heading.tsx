import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { usePageTitle } from "../../lib/browser/use-page-title.ts";

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
