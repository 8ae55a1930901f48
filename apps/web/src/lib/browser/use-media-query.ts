import { useMemo, useSyncExternalStore } from "react";

/** A sheet of paper is no window: printing does not change the answer. */
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
