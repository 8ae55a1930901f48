import { useQueryClient } from "@tanstack/react-query";
import { Navigate, Outlet, useLocation } from "react-router";
import { useDelayed } from "../../lib/use-delayed.ts";
import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { lazyPart } from "../../ui/lazy-step/lazy-step.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { FullLoader, Skeleton, SkeletonRows } from "../../ui/skeleton/skeleton.tsx";
import styles from "./session-skeleton.module.css";
import { lacksFactor, leftOnPurposeKey, useSession } from "./use-session.ts";

const FactorRequired = lazyPart(
  async () => (await import("./factor-required.tsx")).FactorRequired,
  <FullLoader />,
);

/** Shown after 300 ms, so that a fast answer shows nothing. */
function SessionSkeleton() {
  const shown = useDelayed(true, 300);
  if (!shown) return <div className={styles["frame"]} aria-busy="true" />;
  return (
    <div className={styles["frame"]} aria-busy="true">
      <div className={styles["bar"]} aria-hidden="true">
        <Skeleton width={110} height={22} />
        <Skeleton width={180} height={14} />
      </div>
      <main className="main stack stack--lg" id="contenu">
        <Skeleton width={240} height={30} />
        <div className="card">
          <SkeletonRows rows={5} label="Chargement de votre session…" />
        </div>
      </main>
    </div>
  );
}

/** Sends a visitor to the login page, which remembers the origin. */
export function ProtectedRoute() {
  const session = useSession();
  const location = useLocation();
  const client = useQueryClient();
  if (session.state === "loading") return <SessionSkeleton />;
  if (session.state === "unreachable") return <ServiceAway onRetry={session.retry} />;
  if (session.state === "visitor") {
    const leftOnPurpose = client.getQueryData(leftOnPurposeKey) === true;
    return <Navigate to="/login" replace state={leftOnPurpose ? null : { from: location }} />;
  }
  return lacksFactor(session.user) ? <FactorRequired /> : <Outlet />;
}

export function VisitorRoute() {
  const session = useSession();
  if (session.state === "loading") return <FullLoader />;
  if (session.state === "member") return <Navigate to="/dashboard" replace />;
  return <Outlet />;
}

/** Shown when the service did not answer as the page opened. */
export function ServiceAway({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <main className="main stack" id="contenu" role="alert">
      <PageHeading title="Service injoignable">Erreur réseau ou serveur injoignable</PageHeading>
      <p className="ink2">Vérifiez votre connexion, puis réessayez. Rien n’a été perdu.</p>
      <div>
        <Button variant="primary" onClick={onRetry}>
          <Icon name="refresh" />
          Réessayer
        </Button>
      </div>
    </main>
  );
}
