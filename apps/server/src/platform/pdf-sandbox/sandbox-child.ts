import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { constants, Script } from "node:vm";
import { createBytesKept, freeLarge, type SharedBytes, withoutBeginning } from "./shared-bytes.ts";

/**
 * A child runs one task at a time. Started by itself it compiles them. Errors cross as plain data,
 * as classes do not survive.
 */
type Request = {
  readonly id: number;
  readonly task: string;
  readonly args: readonly unknown[];
  readonly shared: SharedBytes | null;
};

type Task = (...args: readonly unknown[]) => Promise<unknown>;
type Tasks = Readonly<Record<string, Task>>;
type TaskModule = {
  readonly loadTasks: () => Promise<Tasks>;
  readonly warmUp?: (tasks: Tasks) => Promise<void>;
};
type Loaded = { readonly script: Script; readonly module: { exports: unknown } };

const builtIn = createRequire(import.meta.url);
const loaded = new Map<string, Loaded>();

/** V8 refuses another version's compiled code. */
function load(name: string): unknown {
  const before = loaded.get(name);
  if (before) return before.module.exports;
  const file = join(import.meta.dirname, name);
  const script = new Script(readFileSync(file, "latin1"), {
    filename: file,
    ...(existsSync(`${file}.cache`) ? { cachedData: readFileSync(`${file}.cache`) } : {}),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  loaded.set(name, { script, module });
  script.runInThisContext()(module.exports, requireIn, module, file, import.meta.dirname);
  return module.exports;
}

const requireIn = (name: string): unknown =>
  name.startsWith("./") ? load(name.slice(2)) : builtIn(name);

const { loadTasks, warmUp } = load("tasks.cjs") as TaskModule;
const tasks = await loadTasks();
const kept = createBytesKept();

if (process.send === undefined) {
  await warmUp?.(tasks);
  for (const [name, { script }] of loaded)
    writeFileSync(join(import.meta.dirname, `${name}.cache`), script.createCachedData());
  process.exit(0);
}

process.on("message", async ({ id, task, ...packed }: Request) => {
  try {
    const args = kept.unpack(packed);
    const run = Object.hasOwn(tasks, task) ? tasks[task] : undefined;
    if (!run) throw new Error(`No sandbox task is named ${task}`);
    const value = await run(...args);
    const answer = withoutBeginning(args[0], value);
    process.send?.({ id, ok: true, heldBytes: heldBytes(), ...answer });
    freeLarge(args[0], value);
  } catch (error) {
    process.send?.({ id, ok: false, heldBytes: heldBytes(), error: describe(error) });
  }
});
process.on("disconnect", () => process.exit(0));
process.send({
  ready: true,
  isCompiled: [...loaded.values()].every(({ script }) => !script.cachedDataRejected),
});

const LOOK_MS = 250;
let [held, lookedAt] = [0, 0];

/** Leaves out what is kept on purpose. */
function heldBytes(): number {
  const now = performance.now();
  if (now - lookedAt > LOOK_MS) {
    held = process.memoryUsage.rss() - kept.size();
    lookedAt = now;
  }
  return held;
}

function describe(error: unknown) {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { code, character, annotations, offset, clause } = error as Error & Record<string, unknown>;
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    code,
    character,
    annotations,
    offset,
    clause,
  };
}
