import type { ReactNode } from "react";
import { Link } from "react-router";
import { classNames } from "../../../lib/class-names.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { LegalLinks } from "../../privacy/legal/legal-links.tsx";
import styles from "./settings.module.css";
import { SettingsNav } from "./settings-nav.tsx";

type Props = { readonly title: string; readonly lede: string; readonly children: ReactNode };

/** The frame of the pages of one's own account: the way to the others, title, cards. */
export function SettingsLayout({ title, lede, children }: Props) {
  return (
    <main className={classNames("main", styles["page"])} id="contenu">
      <div className={styles["settings"]}>
        <SettingsNav />
        <div>
          <div className="page-head">
            <div>
              <Link className="crumb lt-rail" to="/settings">
                <Icon name="chevron-left" size="sm" />
                Paramètres
              </Link>
              <PageHeading title={title}>{title}</PageHeading>
              <p className="lede">{lede}</p>
            </div>
          </div>
          <div className="stack stack--lg">
            {children}
            <LegalLinks />
          </div>
        </div>
      </div>
    </main>
  );
}
