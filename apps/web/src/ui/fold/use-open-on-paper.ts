import { type RefObject, useEffect, useRef } from "react";

/** Opens a `<details>` for printing, then restores it. */
export function useOpenOnPaper(): RefObject<HTMLDetailsElement | null> {
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    let wasOpen = false;
    const open = () => {
      if (ref.current === null) return;
      wasOpen = ref.current.open;
      ref.current.open = true;
    };
    const restore = () => {
      if (ref.current !== null) ref.current.open = wasOpen;
    };
    window.addEventListener("beforeprint", open);
    window.addEventListener("afterprint", restore);
    return () => {
      window.removeEventListener("beforeprint", open);
      window.removeEventListener("afterprint", restore);
    };
  }, []);
  return ref;
}
