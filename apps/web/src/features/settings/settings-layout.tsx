import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { LegalLinks } from "../legal/legal-links.tsx";
import styles from "./settings.module.css";
import { SettingsNav } from "./settings-nav.tsx";

type Props = { readonly title: string; readonly lede: string; readonly children: ReactNode };

/** The frame of the pages of one's own account: title, navigation, cards. */
export function SettingsLayout({ title, lede, children }: Props) {
  return (
    <main className={classNames("main", styles["page"])} id="contenu">
      <div className="page-head">
        <div>
          <PageHeading title={title}>{title}</PageHeading>
          <p className="lede">{lede}</p>
        </div>
      </div>
      <div className={styles["settings"]}>
        <SettingsNav />
        <div className="stack stack--lg">
          {children}
          <LegalLinks />
        </div>
      </div>
    </main>
  );
}
