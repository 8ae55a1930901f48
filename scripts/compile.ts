import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";

/** Compiles the service ahead of its first start, for an image whose folders cannot be written to. */
const root = join(import.meta.dirname, "..");
enableCompileCache(join(root, ".cache/node"));
await import("../apps/server/src/compose.ts");
flushCompileCache();
