import type { Platform } from "../../../platform/platform.ts";
import type { IssuedSigner } from "../../trust/public.ts";
import type { SealingDeps } from "../seal/create-sealing.ts";

/** Requests that are being answered, and a pause for whoever works beside them. */
type RequestPause = {
  /** A request came in; gives what says that it was answered. */
  enter(): () => void;
  /** Resolves once no request is being answered, or after a moment: work goes on under any load. */
  calm(): Promise<void>;
};

/** A stream stays open, an upload comes slowly: neither is somebody who waits for an answer. */
const COUNTED_MS = 300;
const LONGEST_PAUSE_MS = 25;

/** Gives the pause of one process. */
export function createRequestPause(): RequestPause {
  const waiting = new Set<() => void>();
  let count = 0;
  return {
    enter() {
      count += 1;
      let isOver = false;
      const leave = () => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        count -= 1;
        if (count === 0) for (const resume of waiting) resume();
      };
      const timer = setTimeout(leave, COUNTED_MS).unref();
      return leave;
    },
    calm() {
      if (count === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const resume = () => {
          clearTimeout(timer);
          waiting.delete(resume);
          resolve();
        };
        const timer = setTimeout(resume, LONGEST_PAUSE_MS);
        waiting.add(resume);
      });
    },
  };
}

/** What the batches of one process share. */
export type BatchDeps = {
  readonly platform: Platform;
  readonly sealing: SealingDeps;
  /** The one-time signer of each batch at work here: its key lives in memory alone (signatures §2). */
  readonly signers: Map<string, Promise<IssuedSigner>>;
  /** Who waits for an answer goes first. */
  readonly pause: RequestPause;
  /** Batches that were cancelled here: their groups at work begin no other file. */
  readonly cancelled: Set<string>;
  /** The process ends: what runs is finished, nothing more is begun. */
  readonly stop: { asked: boolean };
};

/** Gives what the batches of one process share. Made once, in `compose.ts`. */
export function createBatches(platform: Platform, sealing: SealingDeps): BatchDeps {
  return {
    platform,
    sealing,
    signers: new Map(),
    pause: createRequestPause(),
    cancelled: new Set(),
    stop: { asked: false },
  };
}
