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

/** How far below the window a part is asked for: it is there when it comes in sight. */
const AHEAD = "120px 0px";

/**
 * When the parts below are asked for. `later`: something comes first; `near`: as each comes near the window; `all`: now, wherever they stand,
 * because what had to come first is there, or the whole page is to be printed.
 */
export const PartsTurn = createContext<"later" | "near" | "all">("near");

/** As `lazyPart`, for a part further down: its file is asked for when its place comes near the window, or the page is to be printed. */
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
      window.addEventListener("beforeprint", ask);
      return () => {
        observer.disconnect();
        window.removeEventListener("beforeprint", ask);
      };
    }, [isAsked, turn]);
    return isAsked ? <Part {...props} /> : <div ref={place}>{waiting}</div>;
  };
}
