import { type RefObject, useEffect, useState } from "react";
import { type PageColumn, type PagesInSight, pagesInSight } from "./page-layout.ts";

type Seen = {
  readonly scroller: RefObject<HTMLElement | null>;
  /** The element in which the pages are stacked. */
  readonly stack: RefObject<HTMLElement | null>;
  readonly column: PageColumn;
};

/** Follows which pages are in sight inside the scrolling element: one reading of the scroll a frame, and a rendering only when they change. */
export function useVisiblePages({ scroller, stack, column }: Seen): PagesInSight {
  const [visible, setVisible] = useState<PagesInSight>({ current: 1, first: 1, last: 2 });
  useEffect(() => {
    const element = scroller.current;
    if (!element || column.tops.length === 0) return;
    let frame = 0;
    const measure = () => {
      frame = 0;
      const top = element.scrollTop - (stack.current?.offsetTop ?? 0);
      const after = pagesInSight(column, { top, bottom: top + element.clientHeight });
      setVisible((before) =>
        before.current === after.current && before.first === after.first && before.last === after.last ? before : after,
      );
    };
    const schedule = () => {
      frame ||= requestAnimationFrame(measure);
    };
    const observer = new ResizeObserver(schedule);
    observer.observe(element);
    element.addEventListener("scroll", schedule, { passive: true });
    schedule();
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener("scroll", schedule);
    };
  }, [scroller, stack, column]);
  return visible;
}
