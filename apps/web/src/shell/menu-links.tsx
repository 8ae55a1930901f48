import { Link, useLocation } from "react-router";
import { Icon } from "../ui/icon/icon.tsx";
import type { IconName } from "../ui/icon/icon-paths.ts";
import { isCurrent, MAIN_LINKS, SIGN_LINKS, USER_LINKS } from "./main-links.ts";
import styles from "./mobile-menu.module.css";

type Props = {
  readonly onLogOut: () => void /** Closes the drawer. */;
  readonly onFollow: () => void;
};

export function MenuLinks({ onLogOut, onFollow }: Props) {
  const { pathname } = useLocation();
  const link = ({ to, label, icon }: { to: string; label: string; icon: IconName }) => (
    <Link
      key={label}
      className={styles["item"]}
      to={to}
      aria-current={isCurrent(pathname, to) ? "page" : undefined}
      onClick={onFollow}
    >
      <Icon name={icon} />
      {label}
    </Link>
  );
  return (
    <>
      {MAIN_LINKS.map(link)}
      <hr className={styles["line"]} />
      <Link
        className={`${styles["item"] ?? ""} ${styles["strong"] ?? ""}`}
        to="/signature/upload"
        onClick={onFollow}
      >
        <Icon name="send" />
        Demander signature
      </Link>
      <div className={styles["title"]}>Types de signature</div>
      {SIGN_LINKS.map(link)}
      <hr className={styles["line"]} />
      {USER_LINKS.slice(0, 1).map(link)}
      <button
        type="button"
        className={styles["item"]}
        onClick={() => {
          onFollow();
          onLogOut();
        }}
      >
        <Icon name="logout" />
        Déconnexion
      </button>
    </>
  );
}
