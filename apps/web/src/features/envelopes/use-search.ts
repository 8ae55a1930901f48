import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";

const PAUSE_MS = 250;

/** A search text kept in the address; it applies after a short pause in the typing, from the first page. Another address brings its own text. */
export function useSearch() {
  const [query, setQuery] = useSearchParams();
  const search = query.get("search") ?? "";
  const [typed, setTyped] = useState(search);
  const applied = useRef(search);

  useEffect(() => {
    // What this box put in the address comes back to it while one types on: only what came from elsewhere (a link, Back) is taken over.
    if (search === applied.current) return;
    applied.current = search;
    setTyped(search);
  }, [search]);

  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === applied.current) return undefined;
    const timer = setTimeout(() => {
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
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, setQuery]);

  return { typed, search, setTyped };
}
