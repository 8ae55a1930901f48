import { Suspense, useEffect } from "react";
import { Outlet, useLocation } from "react-router";
import type { User } from "@paraphe/contracts";
import { useLogOut, useSession } from "../features/accounts/use-session.ts";
import { useLive } from "../features/live/follow-changes.ts";
import { FullLoader } from "../ui/skeleton/skeleton.tsx";
import { lazyPart } from "../ui/lazy-step/lazy-step.tsx";
import { OfflineBanner } from "../ui/offline-banner/offline-banner.tsx";
import { SkipLink } from "../ui/skip-link/skip-link.tsx";
import { hidesTopBar } from "./menu-links.tsx";
import styles from "./top-bar.module.css";

/** Loaded apart: the login page does not wait for menus. */
const TopBar = lazyPart(async () => (await import("./top-bar.tsx")).TopBar, <TopBarPlace />);

/** Pages that save by themselves and retry once online. */
const SAVED_PAGES = /^\/signature\/(upload|workflow)(\/|$)/;

/** Skip link, top bar outside the signing pages, page. */
export function AppLayout() {
  const session = useSession();
  const { pathname, search } = useLocation();
  const { logOut } = useLogOut();
  useRenewedPush(session.state === "member" ? session.user : undefined);
  useLive(session.state === "member" ? session.user.id : undefined);
  return (
    <>
      <SkipLink />
      {session.state === "member" && !hidesTopBar(pathname, search) && (
        <TopBar user={session.user} onLogOut={logOut} />
      )}
      <OfflineBanner>
        {SAVED_PAGES.test(pathname)
          ? "Vos modifications seront enregistrées dès le retour de la connexion."
          : "Gardez cette page ouverte\u00a0: ce que vous avez saisi y reste."}
      </OfflineBanner>
      <Suspense fallback={<FullLoader />}>
        <Outlet />
      </Suspense>
    </>
  );
}

/** Reserves the bar's height: the page below does not move. */
function TopBarPlace() {
  return <div className={styles["bar"]} aria-hidden="true" />;
}

/** Once for each session; the script loads after the page. */
function useRenewedPush(user: User | undefined): void {
  const id = user?.notifications.push ? user.id : undefined;
  useEffect(() => {
    if (id === undefined) return;
    import("../features/accounts/settings/use-push.ts")
      .then(({ renewPush }) => renewPush(id))
      .catch((error: unknown) =>
        console.warn("the subscription to notifications could not be renewed", error),
      );
  }, [id]);
}
