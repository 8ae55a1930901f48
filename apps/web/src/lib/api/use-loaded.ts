import { useEffect, useEffectEvent, useState } from "react";

export type Loaded<T> =
  | { readonly status: "loading" }
  | { readonly status: "failed"; readonly error: unknown; readonly retry: () => void }
  | { readonly status: "ready"; readonly value: T };

/** The public pages have no query cache (9 kB). */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<{ readonly of: string; readonly loaded: Loaded<T> }>({
    of: key,
    loaded: { status: "loading" },
  });
  const start = useEffectEvent(load);
  useEffect(() => {
    const controller = new AbortController();
    const settle = (loaded: Loaded<T>) => {
      if (!controller.signal.aborted) setState({ of: key, loaded });
    };
    settle({ status: "loading" });
    start(controller.signal).then(
      (value) => settle({ status: "ready", value }),
      (error: unknown) => {
        console.warn("the page did not load", error);
        settle({ status: "failed", error, retry: () => setAttempt((count) => count + 1) });
      },
    );
    return () => controller.abort();
  }, [key, attempt]);
  return state.of === key ? state.loaded : { status: "loading" };
}
