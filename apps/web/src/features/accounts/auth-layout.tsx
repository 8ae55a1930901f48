import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Brand } from "../../ui/brand/brand.tsx";
import { LegalLinks } from "../privacy/legal/legal-links.tsx";
import styles from "./auth-layout.module.css";

type Props = {
  readonly children: ReactNode;
  /** Two columns of fields need a wider form. */
  readonly isWide?: boolean;
};

export function AuthLayout({ children, isWide = false }: Props) {
  return (
    <div className={styles["auth"]}>
      <main className={styles["form"]} id="contenu">
        <div className={classNames(styles["inner"], isWide && styles["wide"])}>
          <div>
            <Brand to="/login" />
          </div>
          {children}
          <LegalLinks newTab className={styles["legal"]} />
        </div>
      </main>
      <aside className={styles["paper"]} aria-hidden="true">
        <div className={styles["flourish"]} />
        <div className={styles["caption"]}>
          <b>Lu et approuvé.</b>
          Vos documents signés, suivis, prouvés.
        </div>
      </aside>
    </div>
  );
}
