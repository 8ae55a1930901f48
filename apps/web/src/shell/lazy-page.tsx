import { type ComponentType, lazy } from "react";
import { Navigate, useLocation } from "react-router";
import { ServiceAway } from "../features/accounts/service-away.tsx";

/**
 * A page loaded when first opened. A load failure (no network, a new version) shows in its place:
 * the
 * frame stays.
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

/** A reload fetches the new version; without network it would lose the frame. */
function PageAway() {
  return <ServiceAway onRetry={() => navigator.onLine && location.reload()} />;
}

export function RedirectKeepingQuery({ to }: { readonly to: string }) {
  const { search, hash } = useLocation();
  return <Navigate to={{ pathname: to, search, hash }} replace />;
}
