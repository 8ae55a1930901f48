import type { Platform } from "../../../platform/platform.ts";
import type { Trust } from "../../trust/public.ts";

export type PrintDeps = { readonly platform: Platform; readonly trust: Trust };
