import { type RefObject, useEffect, useState } from "react";

/** Gives the pad's width in units of its height, and follows it when the phone is turned. */
export function usePadWidth(pad: RefObject<HTMLElement | null>): number {
  const [ratio, setRatio] = useState(2.5);
  useEffect(() => {
    const element = pad.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const { width, height } = element.getBoundingClientRect();
      if (width > 0 && height > 0) setRatio(width / height);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [pad]);
  return ratio;
}
