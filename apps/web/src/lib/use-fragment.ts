import { useEffect, useState } from "react";

/** The address's fragment without its `#`: `first` when the page opens, then what it becomes while the page stays. */
export function useFragment(first: string): string {
  const [fragment, setFragment] = useState(first);
  useEffect(() => {
    const follow = () => setFragment(location.hash.slice(1));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  return fragment;
}
