import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { BrandMark } from "../brand/brand-mark.tsx";
import { Icon, type IconName } from "../icon/icon.tsx";
import { SkipLink } from "../skip-link/skip-link.tsx";
import styles from "./public-page.module.css";

type Props = {
  readonly about: string;
  readonly icon?: IconName;
  readonly isNarrow?: boolean;
  /** A downloaded copy has no links. */
  readonly isAlone?: boolean;
  readonly foot?: ReactNode;
  readonly children: ReactNode;
};

export function PublicPage({
  about,
  icon = "shield",
  isNarrow = false,
  isAlone = false,
  foot,
  children,
}: Props) {
  return (
    <>
      <SkipLink />
      <header className={styles["head"]}>
        <BrandMark href={isAlone ? undefined : "/"} />
        <span className={`ge-rail ${styles["about"]}`}>
          <Icon name={icon} size="sm" />
          {about}
        </span>
      </header>
      <main className={`main ${styles["main"]}`} id="contenu">
        <div className={classNames("stack stack--lg", isNarrow && styles["narrow"])}>
          {children}
          {foot}
        </div>
      </main>
    </>
  );
}
