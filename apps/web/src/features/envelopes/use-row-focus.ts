import { type RefObject, useEffect, useRef } from "react";

/**
 * Keeps the focus in a row whose button goes away once pressed: what is shown in its place is not the same control, and the browser would
 * leave the reader at the top of the page (WCAG 2.4.3). The row takes it, only after an action here and only if it is nowhere else.
 */
export function useRowFocus(shown: unknown): { readonly row: RefObject<HTMLLIElement | null>; readonly onAct: () => void } {
  const row = useRef<HTMLLIElement>(null);
  const acted = useRef(false);
  useEffect(() => {
    const { activeElement, body } = document;
    if (!acted.current || (activeElement !== null && activeElement !== body)) return;
    acted.current = false;
    row.current?.focus();
  }, [shown]);
  return {
    row,
    onAct: () => {
      acted.current = true;
    },
  };
}
