import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";

/** Compiles ahead of the first start, for a read-only image. */
const root = join(import.meta.dirname, "..");
enableCompileCache(join(root, ".cache/node"));
await import("../apps/server/src/compose.ts");
flushCompileCache();
