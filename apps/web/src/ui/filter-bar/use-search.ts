import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { QueryPlace } from "./query-place.ts";

const PAUSE_MS = 300;

/** A search text kept in the address; it applies after a short pause in the typing, or at once when asked, from the first page. Another address brings its own text. */
export function useSearch([query, setQuery]: QueryPlace) {
  const search = query.get("search") ?? "";
  const [typed, setTyped] = useState(search);
  const applied = useRef(search);

  const apply = (wanted: string) => {
    applied.current = wanted;
    setQuery(
      (current) => {
        const changed = new URLSearchParams(current);
        changed.delete("page");
        if (wanted === "") changed.delete("search");
        else changed.set("search", wanted);
        return changed;
      },
      { replace: true },
    );
  };

  useEffect(() => {
    // What this box put in the address comes back to it while one types on: only what came from elsewhere (a link, Back) is taken over.
    if (search === applied.current) return;
    applied.current = search;
    setTyped(search);
  }, [search]);

  const applyLater = useEffectEvent(apply);
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === applied.current) return undefined;
    const timer = setTimeout(() => applyLater(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);

  /** Empties the box, for whoever takes the search out of the address with something else. */
  const emptyBox = () => {
    applied.current = "";
    setTyped("");
  };
  /** Searches for another text than the one that was typed. */
  const searchFor = (wanted: string) => {
    setTyped(wanted);
    apply(wanted);
  };
  return { typed, search, setTyped, applySearch: () => apply(typed.trim()), searchFor, emptyBox };
}
