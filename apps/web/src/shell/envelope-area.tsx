import { RAIL_BREAKPOINT_PX } from "@paraphe/contracts";
import { Suspense, useState } from "react";
import { Link, Outlet, useLocation } from "react-router";
import { useLogOut } from "../features/accounts/use-session.ts";
import { useCounts } from "../features/envelopes/envelope-calls.ts";
import { useMediaQuery } from "../lib/browser/use-media-query.ts";
import { classNames } from "../lib/class-names.ts";
import { Brand } from "../ui/brand/brand.tsx";
import { Drawer } from "../ui/drawer/drawer.tsx";
import { useBottomDock } from "../ui/editor-frame/editor-frame.tsx";
import { Icon, type IconName } from "../ui/icon/icon.tsx";
import { FullLoader } from "../ui/skeleton/skeleton.tsx";
import styles from "./envelope-area.module.css";
import { isCurrent, MenuLinks } from "./menu-links.tsx";

const ENVIRONMENT_LINKS: readonly {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}[] = [
  { to: "/signature/envelopes/sent", label: "Envoyé", icon: "send" },
  { to: "/signature/envelopes/completed", label: "Complété(s)", icon: "check-circle" },
  { to: "/signature/envelopes/action-required", label: "Action requise", icon: "pen" },
  { to: "/signature/envelopes/drafts", label: "Brouillons", icon: "edit" },
  { to: "/signature/envelopes/deleted", label: "Supprimé", icon: "trash" },
];

const ACTION_REQUIRED_PATH = "/signature/envelopes/action-required";

type Props = {
  readonly actionCount: number;
  readonly bottom?: boolean;
  readonly onFollow?: () => void;
};

function EnvironmentList({ actionCount, bottom = false, onFollow }: Props) {
  const { pathname } = useLocation();
  return (
    <ul className={classNames(!bottom && styles["list"])}>
      {ENVIRONMENT_LINKS.map((link) => (
        <li key={link.to}>
          <Link
            to={link.to}
            aria-current={isCurrent(pathname, link.to) ? "page" : undefined}
            onClick={onFollow}
          >
            <Icon name={link.icon} size={bottom ? "lg" : "md"} />
            <span>{link.label}</span>
            {link.to === ACTION_REQUIRED_PATH && (
              <Count
                value={actionCount}
                red
                className={bottom ? styles["bottomCount"] : styles["count"]}
              />
            )}
          </Link>
        </li>
      ))}
    </ul>
  );
}

type EnvelopeAreaContext = { readonly openEnvironment: () => void };

export function EnvelopeArea() {
  const small = useMediaQuery(`(max-width: ${RAIL_BREAKPOINT_PX - 0.02}px)`);
  const dock = useBottomDock();
  const [open, setOpen] = useState(false);
  const { logOut } = useLogOut();
  const actionCount = useCounts().data?.action_required ?? 0;
  const context: EnvelopeAreaContext = { openEnvironment: () => setOpen(true) };
  return (
    <div className={styles["shell"]}>
      {!small && (
        <aside className={styles["rail"]}>
          <nav aria-label="Environnement">
            <div className={styles["title"]} aria-hidden="true">
              Environnement
            </div>
            <EnvironmentList actionCount={actionCount} />
          </nav>
        </aside>
      )}
      <div className={styles["content"]}>
        <Suspense fallback={<FullLoader />}>
          <Outlet context={context} />
        </Suspense>
      </div>
      {small && (
        <nav className={styles["bottom"]} ref={dock} aria-label="Environnement">
          <EnvironmentList actionCount={actionCount} bottom />
        </nav>
      )}
      {small && open && (
        <Drawer
          label="Environnement"
          side="left"
          closeLabel="Fermer"
          heading={<Brand to="/" />}
          onClose={() => setOpen(false)}
        >
          <nav className={styles["drawer"]} aria-label="Environnement">
            <div className={styles["title"]} aria-hidden="true">
              Environnement
            </div>
            <EnvironmentList actionCount={actionCount} onFollow={() => setOpen(false)} />
          </nav>
          <nav className={styles["elsewhere"]} aria-label="Menu">
            <MenuLinks onLogOut={logOut} onFollow={() => setOpen(false)} />
          </nav>
        </Drawer>
      )}
    </div>
  );
}

type CountProps = {
  readonly value: number;
  readonly red?: boolean;
  readonly className?: string | undefined;
};

function Count({ value, red = false, className }: CountProps) {
  if (value <= 0) return null;
  return (
    <span className={classNames(styles["counted"], red && styles["red"], className)}>
      <span aria-hidden="true">{value > 99 ? "99+" : value}</span>
      <span className="sr">{`${value} en attente`}</span>
    </span>
  );
}
