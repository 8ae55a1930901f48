import type { Platform } from "../../../platform/platform.ts";
import type { Trust } from "../../trust/public.ts";

/** What the calls of prints and of public verification need. */
export type PrintDeps = { readonly platform: Platform; readonly trust: Trust };
