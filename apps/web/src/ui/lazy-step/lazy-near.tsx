import {
  type ComponentType,
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import { lazyPart } from "./lazy-step.tsx";

const AHEAD = "120px 0px";
/** A print that the browser starts cannot wait, so parts load by then. */
const AT_LATEST_MS = 3_000;

/** `later`: after something else; `near`: as the part nears the window; `all`: now, to print. */
export const PartsTurn = createContext<"later" | "near" | "all">("near");

/** Loads when its place nears the window, or once the page is at rest. */
export function lazyNear<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting: ReactNode,
): ComponentType<P> {
  const Part = lazyPart(load, waiting);
  return function Near(props: P) {
    const place = useRef<HTMLDivElement>(null);
    const [isSeen, setIsSeen] = useState(false);
    const turn = useContext(PartsTurn);
    const isAsked = isSeen || turn === "all";
    useEffect(() => {
      const { current } = place;
      if (isAsked || turn === "later" || current === null) return undefined;
      const ask = () => setIsSeen(true);
      const observer = new IntersectionObserver(
        (entries) => entries.some(({ isIntersecting }) => isIntersecting) && ask(),
        {
          rootMargin: AHEAD,
        },
      );
      observer.observe(current);
      const timer = setTimeout(ask, AT_LATEST_MS);
      return () => {
        observer.disconnect();
        clearTimeout(timer);
      };
    }, [isAsked, turn]);
    return isAsked ? <Part {...props} /> : <div ref={place}>{waiting}</div>;
  };
}
