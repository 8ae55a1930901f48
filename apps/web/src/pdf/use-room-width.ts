import { type RefObject, useLayoutEffect, useState } from "react";

/** Gives the inner width of an element in CSS pixels, padding left out, and follows it when it changes. Known before the first picture: nothing that is laid out in it jumps. */
export function useRoomWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const { paddingLeft, paddingRight } = getComputedStyle(target);
    setWidth(Math.floor(target.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)) || 0);
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
