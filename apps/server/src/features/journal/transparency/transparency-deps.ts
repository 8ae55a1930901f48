import type { Platform } from "../../../platform/platform.ts";
import type { Trust } from "../../trust/public.ts";

export type TransparencyDeps = {
  readonly platform: Pick<
    Platform,
    "db" | "queue" | "clock" | "settings" | "secrets" | "newId" | "log"
  >;
  readonly trust: Pick<Trust, "evidence" | "seal" | "timestamp">;
};
