import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** Tells whether the page is being printed: on paper nothing can be opened, so what waits for a press is shown. */
export function useOnPaper(): boolean {
  const [isOnPaper, setIsOnPaper] = useState(false);
  useEffect(() => {
    // The browser takes the page as it stands when the event ends.
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
