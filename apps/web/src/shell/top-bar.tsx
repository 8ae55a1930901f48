import type { User } from "@paraphe/contracts";
import { useState } from "react";
import { Link, useLocation } from "react-router";
import { Avatar } from "../ui/avatar/avatar.tsx";
import { Brand } from "../ui/brand/brand.tsx";
import { Button, buttonLook } from "../ui/button/button.tsx";
import { LinkButton } from "../ui/button/link-button.tsx";
import { Drawer } from "../ui/drawer/drawer.tsx";
import { Icon } from "../ui/icon/icon.tsx";
import { Menu } from "../ui/menu/menu.tsx";
import { useMayWork } from "../features/accounts/use-session.ts";
import { MAIN_LINKS, MenuLinks, SIGN_LINKS, USER_LINKS, isCurrent, isHome } from "./menu-links.tsx";
import styles from "./top-bar.module.css";

type Props = { readonly user: User; readonly onLogOut: () => void };

export function TopBar({ user, onLogOut }: Props) {
  const { pathname } = useLocation();
  const mayWork = useMayWork();
  const [menuOpen, setMenuOpen] = useState(false);
  return (
    <header className={styles["bar"]}>
      <Brand to="/" />
      <nav className={styles["nav"]} aria-label="Navigation principale">
        {MAIN_LINKS.map((link) => (
          <Link
            key={link.to}
            to={link.to}
            aria-current={isCurrent(pathname, link.to) ? "page" : undefined}
          >
            {link.label}
          </Link>
        ))}
      </nav>
      <div className={styles["end"]}>
        {mayWork && (
          <>
            <div className={styles["wide"]}>
              <SignMenu />
            </div>
            <div className={styles["wide"]}>
              <LinkButton
                variant={isHome(pathname) ? "primary" : "secondary"}
                to="/signature/upload"
              >
                <Icon name="send" size="sm" />
                Demander signature
              </LinkButton>
            </div>
          </>
        )}
        <div className={styles["wide"]}>
          <UserMenu user={user} onLogOut={onLogOut} />
        </div>
        <div className={styles["burger"]}>
          <Button
            variant="ghost"
            square
            aria-label="Ouvrir le menu"
            aria-haspopup="dialog"
            aria-expanded={menuOpen}
            onClick={() => setMenuOpen(true)}
          >
            <Icon name="menu" size="lg" />
          </Button>
        </div>
        {menuOpen && (
          <MobileMenu user={user} onLogOut={onLogOut} onClose={() => setMenuOpen(false)} />
        )}
      </div>
    </header>
  );
}

function SignMenu() {
  return (
    <Menu
      label="Types de signature"
      title="Types de signature"
      triggerClassName={buttonLook({})}
      trigger={
        <>
          <Icon name="pen" size="sm" />
          Signer maintenant
          <Icon name="chevron-down" size="sm" />
        </>
      }
      entries={SIGN_LINKS.map(({ to, label, description, icon }) => ({
        id: to,
        href: to,
        label,
        description,
        icon,
      }))}
    />
  );
}

function UserMenu({ user, onLogOut }: Props) {
  const name = fullName(user);
  return (
    <Menu
      label="Menu utilisateur"
      triggerLabel={`Menu utilisateur, ${name}`}
      triggerClassName={styles["user"] ?? ""}
      trigger={
        <>
          <Avatar name={name} image={user.avatar} />
          <Icon name="chevron-down" size="sm" />
        </>
      }
      entries={[
        ...USER_LINKS.map(({ to, label, icon }) => ({ id: to, href: to, label, icon })),
        { id: "logout", label: "Déconnexion", icon: "logout", separated: true, onAction: onLogOut },
      ]}
    />
  );
}

function fullName(user: User): string {
  return `${user.first_name} ${user.last_name}`.trim() || user.username;
}

type MobileMenuProps = {
  readonly user: User;
  readonly onLogOut: () => void;
  readonly onClose: () => void;
};

export function MobileMenu({ user, onLogOut, onClose }: MobileMenuProps) {
  const name = fullName(user);
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
      <MenuLinks onLogOut={onLogOut} onFollow={onClose} />
    </Drawer>
  );
}
