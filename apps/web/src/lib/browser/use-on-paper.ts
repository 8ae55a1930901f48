import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** True while printing: folded parts have to be shown. */
export function useOnPaper(): boolean {
  const [isOnPaper, setIsOnPaper] = useState(false);
  useEffect(() => {
    // The browser prints the page as it stands when the event ends.
    const follow = ({ type }: Event) => flushSync(() => setIsOnPaper(type === "beforeprint"));
    window.addEventListener("beforeprint", follow);
    window.addEventListener("afterprint", follow);
    return () => {
      window.removeEventListener("beforeprint", follow);
      window.removeEventListener("afterprint", follow);
    };
  }, []);
  return isOnPaper;
}
