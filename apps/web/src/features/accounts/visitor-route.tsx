import { Navigate, Outlet } from "react-router";
import { FullLoader } from "../../ui/full-loader/full-loader.tsx";
import { useSession } from "./use-session.ts";

/** Pages for visitors only: a signed-in user goes to the dashboard. */
export function VisitorRoute() {
  const session = useSession();
  if (session.state === "loading") return <FullLoader />;
  if (session.state === "member") return <Navigate to="/dashboard" replace />;
  return <Outlet />;
}
