import { Link, useLocation } from "react-router";
import { useMayWork } from "../features/accounts/use-session.ts";
import { Icon, type IconName } from "../ui/icon/icon.tsx";
import styles from "./mobile-menu.module.css";

type Props = {
  readonly onLogOut: () => void;
  readonly onFollow: () => void;
};

export function MenuLinks({ onLogOut, onFollow }: Props) {
  const { pathname } = useLocation();
  const mayWork = useMayWork();
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
      {mayWork && (
        <>
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
        </>
      )}
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

type MainLink = { readonly to: string; readonly label: string; readonly icon: IconName };
type SignLink = MainLink & { readonly description: string };

export const MAIN_LINKS: readonly MainLink[] = [
  { to: "/dashboard", label: "Tableau de bord", icon: "home" },
  { to: "/signature", label: "Signatures", icon: "signature" },
  { to: "/settings", label: "Paramètres", icon: "settings" },
];

export const SIGN_LINKS: readonly SignLink[] = [
  {
    to: "/signature/self-sign",
    label: "Auto-signature",
    description: "Signer un document instantanément",
    icon: "pen",
  },
  {
    to: "/signature/bulk-same",
    label: "Signature masse",
    description: "Plusieurs documents, même position",
    icon: "layers",
  },
  {
    to: "/signature/saved-signatures",
    label: "Mes signatures",
    description: "Gérer les signatures enregistrées",
    icon: "signature",
  },
];

export const USER_LINKS: readonly MainLink[] = [
  { to: "/profile", label: "Mon compte", icon: "user" },
  { to: "/settings", label: "Paramètres", icon: "settings" },
];

/**
 * Specification §2: by the path's beginning. « Mon compte » has an address outside the settings.
 */
export function isCurrent(pathname: string, to: string): boolean {
  const path = pathname === "/profile" ? "/settings/profile" : pathname;
  return path === to || path.startsWith(`${to}/`);
}

/** Elsewhere the page's own action is the main one. */
export function isHome(pathname: string): boolean {
  return isCurrent(pathname, "/dashboard");
}

/** Specification §2: hidden on signing pages. */
export function hidesTopBar(pathname: string, search: string): boolean {
  return (
    pathname.startsWith("/sign/") ||
    pathname === "/premier-demarrage" ||
    (pathname.includes("/sign") && new URLSearchParams(search).has("token"))
  );
}
