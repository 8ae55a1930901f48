import { type RefCallback, useCallback } from "react";

/** Sets `--dock-h`, the height the shown element takes at the bottom: messages stay clear of it. */
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
