import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";

/** Each step of the preparation is an entry of the history; its state says how many lie between it and the first. */
export const stepDepth = (state: unknown): number =>
  typeof state === "object" && state !== null && "stepDepth" in state && typeof state.stepDepth === "number" ? state.stepDepth : 0;

/** Leaves the preparation for good: back to its first entry, which `target` replaces, so that Back leads to where it was opened from. */
export function useRewind(target: string | null): void {
  const navigate = useNavigate();
  const depth = stepDepth(useLocation().state);
  const gone = useRef<number | null>(null);
  useEffect(() => {
    if (target === null || gone.current === depth) return;
    gone.current = depth;
    if (depth > 0) void navigate(-depth);
    else void navigate(target, { replace: true });
  }, [target, depth, navigate]);
}
