import { useQueryClient } from "@tanstack/react-query";
import { Navigate, Outlet, useLocation } from "react-router";
import { useDelayed } from "../../lib/use-delayed.ts";
import { FullLoader } from "../../ui/full-loader/full-loader.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton/skeleton.tsx";
import { ServiceAway } from "./service-away.tsx";
import { leftOnPurposeKey, useSession } from "./use-session.ts";
import styles from "./session-skeleton.module.css";

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
  return <Outlet />;
}

/** Sends a signed-in user to the dashboard. */
export function VisitorRoute() {
  const session = useSession();
  if (session.state === "loading") return <FullLoader />;
  if (session.state === "member") return <Navigate to="/dashboard" replace />;
  return <Outlet />;
}
