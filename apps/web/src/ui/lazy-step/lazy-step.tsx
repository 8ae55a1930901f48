import { type ComponentType, type ReactElement, type ReactNode, useEffect, useState } from "react";
import { loadPart } from "../../lib/load-part.ts";
import { FullLoader } from "../full-loader/full-loader.tsx";
import { PartAway, StepAway } from "./part-away.tsx";

type Load<P> = () => Promise<ComponentType<P>>;
/** `preload` ignores failures: the part itself shows them. */
export type LazyPart<P> = ComponentType<P> & { readonly preload: () => void };
type Looks = { readonly waiting: ReactNode; readonly Away: typeof PartAway };

/**
 * A step (`<main>`) in a chunk of its own. A failed load is shown in its place with a way to retry;
 * the page around it stays. `waiting`: shown meanwhile.
 */
export function lazyStep<P extends object>(
  load: Load<P>,
  waiting: string | ReactElement,
): LazyPart<P> {
  return lazyIn(load, {
    waiting: typeof waiting === "string" ? <FullLoader label={waiting} /> : waiting,
    Away: StepAway,
  });
}

/** As `lazyStep`, for a part of a page. */
export function lazyPart<P extends object>(load: Load<P>, waiting: ReactNode): LazyPart<P> {
  return lazyIn(load, { waiting, Away: PartAway });
}

function lazyIn<P extends object>(load: Load<P>, { waiting, Away }: Looks): LazyPart<P> {
  let loaded: ComponentType<P> | undefined;
  const ask = async () => {
    loaded ??= await loadPart(load);
    return loaded;
  };
  function Part(props: P) {
    const [Shown, setShown] = useState(() => loaded);
    const [failures, setFailures] = useState(0);
    const [isAway, setIsAway] = useState(false);
    useEffect(() => {
      if (Shown !== undefined || isAway) return undefined;
      let isHere = true;
      ask().then(
        (part) => isHere && setShown(() => part),
        (error: unknown) => {
          console.warn("the file of a part of the page could not be loaded", error);
          if (!isHere) return;
          setFailures((count) => count + 1);
          setIsAway(true);
        },
      );
      return () => {
        isHere = false;
      };
    }, [Shown, isAway]);
    if (Shown !== undefined) return <Shown {...props} />;
    return isAway ? <Away failures={failures} onRetry={() => setIsAway(false)} /> : waiting;
  }
  return Object.assign(Part, { preload: () => void ask().catch(() => undefined) });
}
