import { useContext, useEffect, useRef, useState } from "react";
import { parsePath, UNSAFE_NavigationContext } from "react-router";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";

type HeldNavigation = { readonly leave: () => void; readonly stay: () => void };

/**
 * Holds whatever leaves the page while `held`: a link, a menu, the browser's Back and Forward; gives the way on once one was held.
 * A redirect (a session that is over) is never held. React Router's own `useBlocker` needs its data router, whose 18 kB of script would
 * be loaded by every first visit; the navigator underneath is the same object for every link and menu.
 */
function useHeldNavigation(held: boolean): HeldNavigation | undefined {
  const { navigator } = useContext(UNSAFE_NavigationContext);
  const [waiting, setWaiting] = useState<() => void>();
  const passing = useRef(false);
  const here = useRef(0);

  useEffect(() => {
    if (!held) return undefined;
    here.current = indexOf(history.state);
    const { push } = navigator;
    navigator.push = (to, ...rest) => {
      const { pathname } = typeof to === "string" ? parsePath(to) : to;
      if (pathname === undefined || pathname === location.pathname) {
        push(to, ...rest);
        here.current = indexOf(history.state);
      } else setWaiting(() => () => push(to, ...rest));
    };
    return () => {
      navigator.push = push;
    };
  }, [held, navigator]);

  useEffect(() => {
    if (!held) return undefined;
    const page = location.pathname;
    // The browser has moved already: it is sent back before the router hears of it, and forward again if the person so decides.
    const hold = (event: PopStateEvent) => {
      if (passing.current) return;
      // Another entry of the same page, a step of it: nothing is left.
      if (location.pathname === page && indexOf(event.state) !== here.current) {
        here.current = indexOf(event.state);
        return;
      }
      event.stopImmediatePropagation();
      const delta = indexOf(event.state) - here.current;
      if (delta === 0) return;
      history.go(-delta);
      setWaiting(() => () => {
        passing.current = true;
        history.go(delta);
      });
    };
    window.addEventListener("popstate", hold, { capture: true });
    return () => window.removeEventListener("popstate", hold, { capture: true });
  }, [held]);

  if (!waiting) return undefined;
  return {
    leave: () => {
      setWaiting(undefined);
      waiting();
    },
    stay: () => setWaiting(undefined),
  };
}

/** The router numbers the entries of the browser's history. */
function indexOf(state: unknown): number {
  return typeof state === "object" &&
    state !== null &&
    "idx" in state &&
    typeof state.idx === "number"
    ? state.idx
    : 0;
}

/** `title`, `message` and the button's words where what would be lost is not a form's changes. */
type LeaveGuardProps = {
  readonly dirty: boolean;
  readonly title?: string;
  readonly message?: string;
  readonly confirmLabel?: string;
};

/** Asks before a page with unsaved changes is left: by a link, by the browser's Back, or by closing the tab (the browser then asks itself). */
export function LeaveGuard({ dirty, title, message, confirmLabel = "Quitter" }: LeaveGuardProps) {
  const held = useHeldNavigation(dirty);

  useEffect(() => {
    if (!dirty) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [dirty]);

  if (!held) return null;
  return (
    <ConfirmDialog
      title={title ?? "Quitter sans enregistrer\u202f?"}
      message={message ?? "Vos modifications seront perdues."}
      confirmLabel={confirmLabel}
      cancelLabel="Rester"
      tone="danger"
      onConfirm={held.leave}
      onCancel={held.stay}
    />
  );
}
