import { type RefCallback, useCallback } from "react";

/**
 * For the element that holds the bottom of the window: while it is shown, `--dock-h` on the root element is the height it takes there, and what
 * floats above (messages) keeps clear of it.
 */
export function useBottomDock(): RefCallback<HTMLElement> {
  return useCallback((dock: HTMLElement | null) => {
    if (!dock) return undefined;
    const root = document.documentElement;
    const tell = () => {
      root.style.setProperty("--dock-h", `${Math.round(dock.getBoundingClientRect().height)}px`);
    };
    const observer = new ResizeObserver(tell);
    observer.observe(dock);
    tell();
    return () => {
      observer.disconnect();
      root.style.removeProperty("--dock-h");
    };
  }, []);
}
