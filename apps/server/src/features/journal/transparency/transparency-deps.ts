import type { Platform } from "../../../platform/platform.ts";
import type { Trust } from "../../trust/public.ts";

/** What the log rests on: rows, jobs, messages, and who signs and stamps its states. */
export type TransparencyDeps = {
  readonly platform: Pick<
    Platform,
    "db" | "queue" | "clock" | "settings" | "secrets" | "newId" | "log"
  >;
  readonly trust: Pick<Trust, "evidence" | "seal" | "timestamp">;
};
