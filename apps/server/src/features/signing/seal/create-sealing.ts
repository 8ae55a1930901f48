import type { Platform } from "../../../platform/platform.ts";
import type { Trust } from "../../trust/public.ts";
import type { SealingDeps } from "./deps.ts";
import { createKeyedQueue } from "./keyed-queue.ts";
import { createRememberedNeeds } from "./remembered-needs.ts";

/** Each holds a file and what is made of it in memory; two cores are busy with fewer. */
const SEALINGS_AT_ONCE = 4;

/** Gives what the sealing of one process shares. Made once, in `compose.ts`. */
export function createSealing(platform: Platform, trust: Trust): SealingDeps {
  return { platform, trust, turns: createKeyedQueue(SEALINGS_AT_ONCE), needs: createRememberedNeeds() };
}
