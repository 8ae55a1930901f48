import { Link, useLocation } from "react-router";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PLACES } from "./settings-places.ts";
import styles from "./settings.module.css";

/** The pages of one's own account, beside each of them; below 1024 px `/settings` is their menu. */
export function SettingsNav() {
  const { pathname } = useLocation();
  const current = pathname.replace(/\/+$/, "");
  return (
    <nav className={styles["nav"]} aria-label="Paramètres">
      {Object.values(PLACES).map(({ to, label, icon }) => (
        <Link key={to} to={to} aria-current={current === to ? "page" : undefined}>
          <Icon name={icon} />
          {label}
        </Link>
      ))}
    </nav>
  );
}
