import { useContext, useEffect, useRef, useState } from "react";
import { parsePath, UNSAFE_NavigationContext } from "react-router";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";

type HeldNavigation = { readonly leave: () => void; readonly stay: () => void };

/**
 * Blocks navigation while `held`; once one is blocked, returns how to leave or stay. `useBlocker`
 * would need the data router, 18 kB of script at every first visit.
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
    // The browser has already moved, so this goes back.
    const hold = (event: PopStateEvent) => {
      if (passing.current) return;
      // Moving to an entry of the same page, such as a step, loses nothing.
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

/** The router numbers the history's entries. */
function indexOf(state: unknown): number {
  return typeof state === "object" &&
    state !== null &&
    "idx" in state &&
    typeof state.idx === "number"
    ? state.idx
    : 0;
}

/** `title`, `message`: for other losses than a form's changes. */
type LeaveGuardProps = {
  readonly dirty: boolean;
  readonly title?: string;
  readonly message?: string;
  readonly confirmLabel?: string;
};

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
