import { createBytesKept, type SharedBytes, withoutBeginning } from "./shared-bytes.ts";

/**
 * Serves the task table of the module on its command line, one task at a time.
 * Errors cross the pipe as plain data: classes do not survive it.
 */
type Request = {
  readonly id: number;
  readonly task: string;
  readonly args: readonly unknown[];
  readonly shared: SharedBytes | null;
};

type Task = (...args: readonly unknown[]) => Promise<unknown>;
type TaskModule = { readonly loadTasks: () => Promise<Readonly<Record<string, Task>>> };

const moduleUrl = process.argv[2] ?? "";
const { loadTasks } = (await import(moduleUrl)) as TaskModule;
const tasks = await loadTasks();
const kept = createBytesKept();

process.on("message", async ({ id, task, ...packed }: Request) => {
  try {
    const args = kept.unpack(packed);
    const run = Object.hasOwn(tasks, task) ? tasks[task] : undefined;
    if (!run) throw new Error(`No sandbox task is named ${task}`);
    const answer = withoutBeginning(args[0], await run(...args));
    process.send?.({ id, ok: true, heldBytes: heldBytes(), ...answer });
  } catch (error) {
    process.send?.({ id, ok: false, heldBytes: heldBytes(), error: describe(error) });
  }
});
process.on("disconnect", () => process.exit(0));
process.send?.({ ready: true });

/** Without what is kept on purpose, which is bounded. */
function heldBytes(): number {
  return process.memoryUsage.rss() - kept.size();
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
