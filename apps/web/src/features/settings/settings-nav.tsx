import { Link, useLocation } from "react-router";
import { Icon } from "../../ui/icon/icon.tsx";
import type { IconName } from "../../ui/icon/icon-paths.ts";
import styles from "./settings.module.css";

const PAGES: readonly { readonly to: string; readonly label: string; readonly icon: IconName }[] = [
  { to: "/profile", label: "Mon compte", icon: "user" },
  { to: "/settings", label: "Sécurité", icon: "lock" },
  { to: "/settings/notifications", label: "Notifications", icon: "bell" },
];

/** The three pages of one's own account: a column, a strip below 1024 px. */
export function SettingsNav() {
  const { pathname } = useLocation();
  const current = pathname.replace(/\/+$/, "");
  return (
    <nav className={styles["nav"]} aria-label="Réglages du compte">
      {PAGES.map(({ to, label, icon }) => (
        <Link key={to} to={to} aria-current={current === to ? "page" : undefined}>
          <Icon name={icon} />
          {label}
        </Link>
      ))}
    </nav>
  );
}
