import { useEffect, useRef } from "react";
import { ApiError } from "../../lib/api-error.ts";
import { requestStanding } from "./request-standing.ts";
import type { SigningCalls } from "./signing-calls.ts";

type OpenRequest = {
  readonly calls: SigningCalls;
  /** Whom the request is open for; null while it is not. */
  readonly recipientId: string | null;
  readonly readAgain: () => Promise<unknown>;
};

/**
 * Looks, whenever an open request is seen again, whether the service has closed it meanwhile (cancelled, expired, declined, withdrawn): it is then read
 * again, and the page says so. One that is still open stays as it was read: nothing changes under the reader's eyes.
 */
export function useClosedElsewhere({ calls, recipientId, readAgain }: OpenRequest): void {
  const latest = useRef(readAgain);
  useEffect(() => {
    latest.current = readAgain;
  });
  useEffect(() => {
    if (recipientId === null) return undefined;
    let isLooking = false;
    const look = async () => {
      if (isLooking || document.visibilityState === "hidden") return;
      isLooking = true;
      if (await isClosed(calls, recipientId)) {
        await latest.current();
        // What had the focus is gone: the title says what became of the request.
        requestAnimationFrame(() => document.querySelector("h1")?.focus());
      }
      isLooking = false;
    };
    const seen = () => void look();
    document.addEventListener("visibilitychange", seen);
    window.addEventListener("focus", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      window.removeEventListener("focus", seen);
    };
  }, [calls, recipientId]);
}

/** A cut network, or a service in trouble, closes nothing. */
async function isClosed(calls: SigningCalls, recipientId: string): Promise<boolean> {
  try {
    return requestStanding(await calls.load(undefined, recipientId)).kind === "closed";
  } catch (error) {
    return error instanceof ApiError && [404, 409, 410].includes(error.status);
  }
}
