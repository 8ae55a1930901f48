import { useQueryClient } from "@tanstack/react-query";
import { Navigate, Outlet, useLocation } from "react-router";
import { ServiceAway } from "./service-away.tsx";
import { SessionSkeleton } from "./session-skeleton.tsx";
import { leftOnPurposeKey, useSession } from "./use-session.ts";

/** Pages for signed-in users: a visitor goes to the login page, which remembers where they came from. */
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
