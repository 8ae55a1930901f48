import { useEffect, useState } from "react";

/** The address's fragment without `#`; `first` when the page opens. */
export function useFragment(first: string): string {
  const [fragment, setFragment] = useState(first);
  useEffect(() => {
    const follow = () => setFragment(location.hash.slice(1));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  return fragment;
}
