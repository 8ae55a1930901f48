import type { Platform } from "../../platform/platform.ts";
import type { Trust } from "../trust/index.ts";
import type { KeyedQueue } from "./keyed-queue.ts";

/** What sealing needs. `turns` holds this process's sealings of one envelope in line, so that only one of them waits in the database. */
export type SealingDeps = { readonly platform: Platform; readonly trust: Trust; readonly turns: KeyedQueue };
