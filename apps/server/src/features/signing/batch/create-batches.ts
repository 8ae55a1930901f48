import type { Platform } from "../../../platform/platform.ts";
import type { IssuedSigner } from "../../trust/public.ts";
import type { SealingDeps } from "../seal/create-sealing.ts";

/** Background work waits while requests are answered. */
type RequestPause = {
  enter(): () => void;
  /** Resolves once no request is being answered, or after a moment. */
  calm(): Promise<void>;
};

/** A stream or slow upload counts as being answered for this long. */
const COUNTED_MS = 300;
const LONGEST_PAUSE_MS = 25;

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

export type BatchDeps = {
  readonly platform: Platform;
  readonly sealing: SealingDeps;
  /** Keys live in memory only (signatures §2). */
  readonly signers: Map<string, Promise<IssuedSigner>>;
  readonly pause: RequestPause;
  /** Batches cancelled in this process: their groups begin no other file. */
  readonly cancelled: Set<string>;
  /** Once asked, work under way completes and none starts. */
  readonly stop: { asked: boolean };
};

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
