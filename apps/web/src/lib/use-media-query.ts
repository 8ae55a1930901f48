import { useMemo, useSyncExternalStore } from "react";

/** Tells whether a media query holds now, and again each time it changes. A sheet of paper is no window: while the page is printed, what held before still does. */
export function useMediaQuery(query: string): boolean {
  const { follow, read } = useMemo(() => followQuery(query), [query]);
  return useSyncExternalStore(follow, read);
}

function followQuery(query: string) {
  let held: boolean | undefined;
  return {
    follow(changed: () => void): () => void {
      const list = matchMedia(query);
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    read(): boolean {
      if (held === undefined || !matchMedia("print").matches) held = matchMedia(query).matches;
      return held;
    },
  };
}
