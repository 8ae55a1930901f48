import type { Platform } from "../../../platform/platform.ts";
import type { Trust } from "../../trust/public.ts";
import type { KeyedQueue } from "./keyed-queue.ts";
import type { RememberedNeeds } from "./remembered-needs.ts";

/** What sealing needs. */
export type SealingDeps = {
  readonly platform: Platform;
  readonly trust: Trust;
  /** Holds this process's sealings of one envelope in line, so that each is made on the one before. */
  readonly turns: KeyedQueue;
  readonly needs: RememberedNeeds;
};
