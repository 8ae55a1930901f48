import { enableCompileCache } from "node:module";
import { join } from "node:path";

/**
 * `npm start`, once `setup.mjs` has prepared everything: the server, its compiled code kept for the next start.
 * npm puts the project's own Node first on the path, which is what runs this file. `--max-semi-space-size` bounds V8's nursery: of its own it grows
 * to 64 MB and keeps them.
 */
const cache = join(import.meta.dirname, "../.cache/node");
process.env.NODE_COMPILE_CACHE = cache;
enableCompileCache(cache);
await import("../apps/server/src/main.ts");
