import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Icon } from "../icon/icon.tsx";
import type { IconName } from "../icon/icon-paths.ts";
import styles from "./fold.module.css";
import { useOpenOnPaper } from "./use-open-on-paper.ts";

type Props = {
  /** Of its heading. */
  readonly id: string;
  readonly title: string;
  /** What is inside, in a few words. */
  readonly hint: string;
  readonly icon: IconName;
  /** Left out of what is printed. */
  readonly isTool?: boolean;
  readonly children: ReactNode;
};

/** A part of a page that most people need not read: closed until asked for, open on paper. */
export function Fold({ id, title, hint, icon, isTool = false, children }: Props) {
  const ref = useOpenOnPaper();
  return (
    <details className={classNames("card", styles["fold"], isTool && styles["tool"])} aria-labelledby={id} ref={ref}>
      <summary>
        <Icon name={icon} size="sm" />
        <h2 className="h2" id={id}>
          {title}
        </h2>
        <small>{hint}</small>
        <Icon name="chevron-down" size="sm" />
      </summary>
      <div className="card__body stack stack--lg">{children}</div>
    </details>
  );
}
