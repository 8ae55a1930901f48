import { type Dispatch, type RefObject, type SetStateAction, useEffect } from "react";
import { zoomWithin } from "./page-layout.ts";

/** Zooms with Ctrl + wheel (a trackpad's pinch arrives the same way); the browser's own zoom stays on Ctrl + and Ctrl −. */
export function useWheelZoom(scroller: RefObject<HTMLElement | null>, setZoom: Dispatch<SetStateAction<number>>): void {
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      setZoom((zoom) => zoomWithin(zoom * Math.exp(-event.deltaY / 400)));
    };
    // React's own wheel listener is passive: it could not keep the page from zooming too.
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [scroller, setZoom]);
}
