import type { User } from "@paraphe/contracts";
import { Link, useLocation } from "react-router";
import { Avatar } from "../../ui/avatar/avatar.tsx";
import { Drawer } from "../../ui/drawer/drawer.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import type { IconName } from "../../ui/icon/icon-paths.ts";
import { isCurrent, MAIN_LINKS, SIGN_LINKS, USER_LINKS } from "./main-links.ts";
import styles from "./mobile-menu.module.css";

type Props = { readonly user: User; readonly onLogOut: () => void; readonly onClose: () => void };

/** The same links on a small screen, in a drawer. */
export function MobileMenu({ user, onLogOut, onClose }: Props) {
  const { pathname } = useLocation();
  const name = `${user.first_name} ${user.last_name}`.trim() || user.username;
  const link = ({ to, label, icon }: { to: string; label: string; icon: IconName }) => (
    <Link key={label} className={styles["item"]} to={to} aria-current={isCurrent(pathname, to) ? "page" : undefined} onClick={onClose}>
      <Icon name={icon} />
      {label}
    </Link>
  );
  return (
    <Drawer
      label="Menu"
      side="right"
      closeLabel="Fermer le menu"
      onClose={onClose}
      heading={
        <span className="row row--nw">
          <Avatar name={name} image={user.avatar} />
          <b className="truncate">{name}</b>
        </span>
      }
    >
      {MAIN_LINKS.map(link)}
      <hr className={styles["line"]} />
      <Link className={`${styles["item"] ?? ""} ${styles["strong"] ?? ""}`} to="/signature/upload" onClick={onClose}>
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
          onClose();
          onLogOut();
        }}
      >
        <Icon name="logout" />
        Déconnexion
      </button>
    </Drawer>
  );
}
