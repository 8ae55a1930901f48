import type { ReactNode } from "react";
import { BrandMark } from "../brand/brand-mark.tsx";
import { Icon } from "../icon/icon.tsx";
import styles from "./public-head.module.css";

/** The head of a page that anybody may read, without an account. `children`: what it is, in words. */
export function PublicHead({ children }: { readonly children: ReactNode }) {
  return (
    <header className={styles["head"]}>
      <BrandMark />
      <span className={`ge-rail ${styles["public"]}`}>
        <Icon name="shield" size="sm" />
        {children}
      </span>
    </header>
  );
}
