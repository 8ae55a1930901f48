import { Navigate, useLocation } from "react-router";

/** Sends to another page with the same query and fragment. */
export function RedirectKeepingQuery({ to }: { readonly to: string }) {
  const { search, hash } = useLocation();
  return <Navigate to={{ pathname: to, search, hash }} replace />;
}
