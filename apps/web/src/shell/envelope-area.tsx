import { RAIL_BREAKPOINT_PX } from "@paraphe/contracts";
import { Suspense, useState } from "react";
import { Outlet } from "react-router";
import { useBottomDock } from "../lib/use-bottom-dock.ts";
import { useMediaQuery } from "../lib/use-media-query.ts";
import { Brand } from "../ui/brand/brand.tsx";
import { Drawer } from "../ui/drawer/drawer.tsx";
import { FullLoader } from "../ui/full-loader/full-loader.tsx";
import { useLogOut } from "../features/accounts/use-log-out.ts";
import { useCounts } from "../features/envelopes/use-counts.ts";
import { EnvironmentList } from "./environment-list.tsx";
import styles from "./envelope-area.module.css";
import { MenuLinks } from "./menu-links.tsx";

/** What the pages of the area may ask of it. */
export type EnvelopeAreaContext = { readonly openEnvironment: () => void };

/** The envelope area: 'Environnement' beside the list, or a bottom bar and a drawer below 1024 px. */
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
        <Drawer label="Environnement" side="left" closeLabel="Fermer" heading={<Brand to="/" />} onClose={() => setOpen(false)}>
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
