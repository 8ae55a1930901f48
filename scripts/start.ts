import { enableCompileCache } from "node:module";
import { join } from "node:path";

/**
 * `npm start` after `setup.mjs`: the server with a compile cache, run by the project's Node.
 * `--max-semi-space-size` bounds V8's nursery, which otherwise grows to 64 MB and stays. Two large
 * files would begin a collection without `--incremental-marking-hard-trigger`. Without
 * `MALLOC_ARENA_MAX` glibc keeps what was freed in each of several arenas.
 */
const cache = join(import.meta.dirname, "../.cache/node");
process.env.NODE_COMPILE_CACHE = cache;
enableCompileCache(cache);
await import("../apps/server/src/main.ts");
