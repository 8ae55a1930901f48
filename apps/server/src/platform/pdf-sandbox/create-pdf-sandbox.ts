import { availableParallelism } from "node:os";
import { createTaskLine, type TaskLineSize } from "./create-task-line.ts";
import { createPlaces } from "./create-places.ts";
import { createGiveWay } from "./give-way.ts";
import type { PdfCalls, PdfSandbox, SandboxCaller } from "./pdf-sandbox.ts";
import { againWhenAway, type SandboxLimits, type SandboxProcess, startSandboxProcess } from "./sandbox-process.ts";

export type PdfSandboxOptions = {
  readonly size?: number;
  readonly limits?: Partial<SandboxLimits>;
  readonly tasksModule?: URL;
  readonly tasksPerProcess?: number;
  readonly line?: Partial<Pick<TaskLineSize, "longest" | "longestOfOne" | "background">>;
};

/** Source: security §2. */
const LIMITS: SandboxLimits = { heapMb: 256, memoryMb: 1_024, taskMs: 10_000 };
/**
 * A child is replaced after so many tasks, or once it holds so much memory: what one document left behind does not add up. Starting one and
 * having its code compiled anew takes 1.2 s of CPU, which the tasks of one child share.
 */
const TASKS_PER_PROCESS = 5_000;
const HELD_BYTES = 256 * 1_024 * 1_024;
const LARGEST_POOL = 4;
/** Some seconds of ordinary uploads; files that wait are held in memory, 10 MB each at most. */
const LINE = { kept: 1, longest: 64, longestOfOne: 16 };
/** Work that nobody waits for leaves a processor to the service and its database: two at it on two processors made every answer wait, for one child more. */
const backgroundPlaces = () => Math.max(1, availableParallelism() - 1);

type Slot = { process: Promise<SandboxProcess> | null; tasks: number };

/**
 * Gives a pool of children, the first started by `warm()` ahead of its first task, the others when a task has waited for one; a task waits for a free one.
 * There is one more than processors, started only when needed, and kept for sealing and sending: others' uploads never hold them up.
 */
export function createPdfSandbox(options: PdfSandboxOptions = {}): PdfSandbox & { warm(): Promise<void> } {
  const limits = { ...LIMITS, ...options.limits };
  const tasksModule = options.tasksModule ?? new URL("./tasks.ts", import.meta.url);
  const size = options.size ?? Math.min(LARGEST_POOL, availableParallelism() + LINE.kept);
  const places = createPlaces<Slot>({
    all: Array.from({ length: size }, () => ({ process: null, tasks: 0 })),
    retire: (slot) => {
      void slot.process?.then((process) => process.end()).catch(() => {});
      slot.process = null;
    },
  });
  const line = createTaskLine({ places: size, background: backgroundPlaces(), ...LINE, ...options.line });
  const giveWay = createGiveWay();
  let closed = false;

  const start = () => (closed ? Promise.reject(new Error("The PDF sandbox is closed")) : startSandboxProcess(tasksModule, limits));
  const processOf = async (slot: Slot): Promise<SandboxProcess> => {
    if (closed) throw new Error("The PDF sandbox is closed");
    const worn = slot.tasks >= (options.tasksPerProcess ?? TASKS_PER_PROCESS);
    const held = slot.process;
    const current = await held?.catch(() => null);
    // Warmed meanwhile.
    if (slot.process !== held) return processOf(slot);
    if (current && current.usable() && !worn && current.heldBytes() < HELD_BYTES) return current;
    current?.end();
    slot.tasks = 0;
    slot.process = start();
    return slot.process;
  };
  /** Whoever has a place went through the line: it lets in no more than there are places. */
  const inPlace = async <T>(caller: SandboxCaller | null, work: (slot: Slot) => Promise<T>): Promise<T> => {
    const leave = await line.enter(caller);
    try {
      const slot = await places.take();
      return await work(slot).finally(() => places.give(slot));
    } finally {
      leave();
    }
  };
  const run = (caller: SandboxCaller | null, task: string, args: readonly unknown[]): Promise<unknown> =>
    inPlace(caller, async (slot) => {
      return againWhenAway(async () => {
        const process = await processOf(slot);
        slot.tasks++;
        giveWay(process.pid, caller?.background ? "background" : "ordinary");
        return process.run(task, args);
      });
    });
  const callsOf = (caller: SandboxCaller | null): PdfCalls => ({
    call: ((task: string, ...args: readonly unknown[]) => run(caller, task, args)) as PdfCalls["call"],
  });
  return {
    ...callsOf(null),
    askedBy: callsOf,
    warm: () => warmFirst(places.all, start),
    check: async () => void ((await isAnyUsable(places.all)) || (await inPlace(null, processOf))),
    async close() {
      closed = true;
      places.close();
      for (const slot of places.all) (await slot.process?.catch(() => null))?.end();
    },
  };
}

/** Takes no place: whoever comes meanwhile is given the first and waits for its child, where a second would only make both later. */
async function warmFirst([first]: readonly Slot[], start: () => Promise<SandboxProcess>): Promise<void> {
  if (first !== undefined) await (first.process ??= start());
}

/** Tells whether a child can work; waits for one that starts only if no other can. */
function isAnyUsable(slots: readonly Slot[]): Promise<boolean> {
  const usable = slots.map(async ({ process }) => {
    if (!(await process)?.usable()) throw new Error("This one cannot");
  });
  return Promise.any(usable).then(
    () => true,
    () => false,
  );
}
