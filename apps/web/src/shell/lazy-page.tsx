import { type ComponentType, lazy } from "react";
import { Navigate, useLocation } from "react-router";
import { ServiceAway } from "../features/accounts/service-away.tsx";

/**
 * Gives a page in a file of its own, loaded when it is first opened. A file that does not come (no network, a new version of the service)
 * is said in the page's place: the frame and what else is open stay.
 */
export function lazyPage<M extends Record<string, unknown>, K extends keyof M & string>(
  load: () => Promise<M>,
  name: K,
) {
  return lazy(async () => {
    try {
      return { default: (await load())[name] as ComponentType };
    } catch (error) {
      console.warn("the file of a page could not be loaded", error);
      return { default: PageAway };
    }
  });
}

/** A file that failed is asked for again with the whole page; without network there would be nothing to come back to. */
function PageAway() {
  return <ServiceAway onRetry={() => navigator.onLine && location.reload()} />;
}

/** Sends to another page with the same query and fragment. */
export function RedirectKeepingQuery({ to }: { readonly to: string }) {
  const { search, hash } = useLocation();
  return <Navigate to={{ pathname: to, search, hash }} replace />;
}
