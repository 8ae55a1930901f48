import { availableParallelism, setPriority } from "node:os";
import { sandboxWaitSeconds } from "../metrics/metrics.ts";
import {
  type PdfCalls,
  type PdfSandbox,
  SandboxBusyError,
  type SandboxCaller,
} from "./pdf-sandbox.ts";
import {
  againWhenAway,
  type SandboxLimits,
  type SandboxProcess,
  startSandboxProcess,
} from "./sandbox-process.ts";
import { TASKS } from "./sandbox-program.ts";

/** A process at 0 gets nine tenths of a processor (sched(7)). */
const PRIORITIES = { background: 10, ordinary: 0 } as const;

type GiveWay = (pid: number, task: keyof typeof PRIORITIES) => void;
type Rights = { readonly mayRaise: boolean; readonly set: typeof setPriority };

/**
 * Lowers none where priorities cannot be raised again (RLIMIT_NICE, CAP_SYS_NICE): the next task
 * may be urgent.
 */
export function createGiveWay(
  { mayRaise, set }: Rights = { mayRaise: canRaise(), set: setPriority },
): GiveWay {
  const lowered = new Set<number>();
  return (pid, task) => {
    if (!mayRaise || lowered.has(pid) === (task === "background")) return;
    try {
      set(pid, PRIORITIES[task]);
    } catch {
      // The child has ended; its task reports it.
    }
    if (task === "background") lowered.add(pid);
    else lowered.delete(pid);
  };
}

/** Only root can surely raise the priority again; another user would leave this process low. */
function canRaise(): boolean {
  return process.getuid?.() === 0;
}

/** Waiting costs less than starting another child. */
const PATIENCE_MS = 100;
const IDLE_MS = 60_000;

type Places<T> = {
  readonly all: readonly T[];
  /** Gives used places first, after a moment. Throws beyond the places. */
  take(): Promise<T>;
  give(place: T): void;
  close(): void;
};

type PlaceWaiter<T> = { readonly begin: (place: T) => void; readonly timer: NodeJS.Timeout };

type PlacesOptions<T> = {
  readonly all: readonly T[];
  /** Ends a child that was idle for a minute, unless it is the last. */
  readonly retire: (place: T) => void;
};

export function createPlaces<T>({ all, retire }: PlacesOptions<T>): Places<T> {
  const fresh = [...all].reverse();
  const ready: T[] = [];
  const waiting: PlaceWaiter<T>[] = [];
  const ending = new Map<T, NodeJS.Timeout>();

  const wait = (): Promise<T> =>
    new Promise((begin, refuse) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        const place = fresh.pop();
        if (place === undefined)
          refuse(new Error(`More than ${all.length} takers for as many places`));
        else begin(place);
      }, PATIENCE_MS);
      const waiter = { begin, timer };
      waiting.push(waiter);
    });
  const endIfUnused = (place: T): void => {
    ending.delete(place);
    if (all.length - fresh.length === 1) return;
    ready.splice(ready.indexOf(place), 1);
    fresh.push(place);
    retire(place);
  };
  const countDown = (): void => {
    for (const place of ready) {
      if (!ending.has(place)) ending.set(place, setTimeout(endIfUnused, IDLE_MS, place).unref());
    }
  };
  return {
    all,
    async take() {
      const place = ready.pop();
      if (place !== undefined) {
        clearTimeout(ending.get(place));
        ending.delete(place);
        return place;
      }
      const first = fresh.length === all.length ? fresh.pop() : undefined;
      return first ?? wait();
    },
    give(place) {
      const waiter = waiting.shift();
      if (waiter === undefined) {
        ready.push(place);
        return countDown();
      }
      clearTimeout(waiter.timer);
      waiter.begin(place);
    },
    close() {
      for (const timer of ending.values()) clearTimeout(timer);
    },
  };
}

type TaskLine = { enter(caller: SandboxCaller | null): Promise<() => void> };

type TaskLineSize = {
  readonly places: number;
  /** Places closed to patient callers; one is always open to them. */
  readonly kept: number;
  readonly background: number;
  /** Limits patient tasks, in all and per caller. */
  readonly longest: number;
  readonly longestOfOne: number;
};

type Waiter = { readonly caller: SandboxCaller | null; readonly begin: () => void };

/**
 * Runs our own tasks first, then urgent callers', then patient ones' by the longest unserved, one
 * at a time each. Background tasks leave places, so that others find a processor.
 */
function createTaskLine(size: TaskLineSize): TaskLine {
  const patientPlaces = Math.max(1, size.places - size.kept);
  const waiting: Waiter[] = [];
  const busy = new Set<string>();
  const servedAt = new Map<string, number>();
  let taken = 0;
  let takenByPatient = 0;
  let takenInBackground = 0;
  let turn = 0;

  const mayRun = ({ caller }: Waiter) =>
    caller === null ||
    (!busy.has(caller.key) &&
      (caller.haste === "urgent" || takenByPatient < patientPlaces) &&
      (caller.background !== true || takenInBackground < size.background));
  const before = (a: Waiter, b: Waiter) =>
    rank(a) - rank(b) ||
    (a.caller?.haste === "patient" ? lastTurn(a) - lastTurn(b) : 0) ||
    waiting.indexOf(a) - waiting.indexOf(b);
  const lastTurn = ({ caller }: Waiter) => servedAt.get(caller?.key ?? "") ?? 0;

  const serve = () => {
    while (taken < size.places) {
      const next = waiting.filter(mayRun).sort(before)[0];
      if (next === undefined) return;
      waiting.splice(waiting.indexOf(next), 1);
      start(next);
    }
  };
  const start = ({ caller, begin }: Waiter) => {
    taken += 1;
    if (caller?.haste === "patient") takenByPatient += 1;
    if (caller?.background) takenInBackground += 1;
    if (caller !== null) {
      busy.add(caller.key);
      servedAt.set(caller.key, ++turn);
    }
    begin();
  };
  const leave = (caller: SandboxCaller | null) => {
    taken -= 1;
    if (caller?.haste === "patient") takenByPatient -= 1;
    if (caller?.background) takenInBackground -= 1;
    if (caller !== null) {
      busy.delete(caller.key);
      if (!waiting.some((other) => other.caller?.key === caller.key)) servedAt.delete(caller.key);
    }
    serve();
  };

  return {
    enter: (caller) =>
      isLineFull(waiting, size, caller)
        ? Promise.reject(new SandboxBusyError())
        : wait({ waiting, serve, leave, caller }),
  };
}

function isLineFull(
  waiting: readonly Waiter[],
  { longest, longestOfOne }: TaskLineSize,
  caller: SandboxCaller | null,
): boolean {
  if (caller?.haste !== "patient") return false;
  const patient = waiting.filter((other) => other.caller?.haste === "patient");
  return (
    patient.length >= longest ||
    patient.filter((other) => other.caller?.key === caller.key).length >= longestOfOne
  );
}

type Wait = {
  readonly waiting: Waiter[];
  readonly serve: () => void;
  readonly leave: (caller: SandboxCaller | null) => void;
  readonly caller: SandboxCaller | null;
};

function wait({ waiting, serve, leave, caller }: Wait): Promise<() => void> {
  const signal = caller?.signal;
  if (signal?.aborted) return Promise.reject(new SandboxBusyError());
  const stopWatch = sandboxWaitSeconds.startTimer();
  return new Promise((resolve, reject) => {
    const waiter: Waiter = {
      caller,
      begin: () => {
        signal?.removeEventListener("abort", giveUp);
        stopWatch();
        resolve(() => leave(caller));
      },
    };
    const giveUp = () => {
      waiting.splice(waiting.indexOf(waiter), 1);
      reject(new SandboxBusyError());
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    waiting.push(waiter);
    serve();
  });
}

function rank({ caller }: Waiter): number {
  return caller === null ? 0 : caller.haste === "urgent" ? 1 : 2;
}

type PdfSandboxOptions = {
  readonly size?: number;
  readonly limits?: Partial<SandboxLimits>;
  readonly tasksModule?: URL;
  readonly tasksPerProcess?: number;
  readonly line?: Partial<Pick<TaskLineSize, "longest" | "longestOfOne" | "background">>;
};

/** Source: security §2. */
const LIMITS: SandboxLimits = { heapMb: 256, memoryMb: 1_024, taskMs: 10_000 };
/** A child is replaced after so many tasks or bytes, so that leaks do not add up. */
const TASKS_PER_PROCESS = 5_000;
const HELD_BYTES = 256 * 1_024 * 1_024;
const LARGEST_POOL = 4;
/** Seconds of uploads; files that wait are in memory, 10 MB each. */
const LINE = { kept: 1, longest: 64, longestOfOne: 16 };
/** A processor stays free for service and database. */
const backgroundPlaces = () => Math.max(1, availableParallelism() - 1);

type Slot = { process: Promise<SandboxProcess> | null; tasks: number };

/**
 * `warm()` starts the first child, waiting tasks the others. They are one more than processors, so
 * that uploads never delay sealing and sending.
 */
export function createPdfSandbox(
  options: PdfSandboxOptions = {},
): PdfSandbox & { warm(): Promise<void> } {
  const children = createChildren(options);
  const size = options.size ?? Math.min(LARGEST_POOL, availableParallelism() + LINE.kept);
  const places = createPlaces<Slot>({
    all: Array.from({ length: size }, () => ({ process: null, tasks: 0 })),
    retire: children.retire,
  });
  const line = createTaskLine({
    places: size,
    background: backgroundPlaces(),
    ...LINE,
    ...options.line,
  });
  const giveWay = createGiveWay();
  const inPlace = async <T>(
    caller: SandboxCaller | null,
    work: (slot: Slot) => Promise<T>,
  ): Promise<T> => {
    const leave = await line.enter(caller);
    try {
      const slot = await places.take();
      return await work(slot).finally(() => places.give(slot));
    } finally {
      leave();
    }
  };
  const run = (
    caller: SandboxCaller | null,
    task: string,
    args: readonly unknown[],
  ): Promise<unknown> =>
    inPlace(caller, async (slot) => {
      return againWhenAway(async () => {
        const process = await children.of(slot);
        slot.tasks++;
        giveWay(process.pid, caller?.background ? "background" : "ordinary");
        return process.run(task, args);
      });
    });
  const callsOf = (caller: SandboxCaller | null): PdfCalls => ({
    call: ((task: string, ...args: readonly unknown[]) =>
      run(caller, task, args)) as PdfCalls["call"],
  });
  return {
    ...callsOf(null),
    askedBy: callsOf,
    warm: () => warmFirst(places.all, children.start),
    check: async () => void ((await isAnyUsable(places.all)) || (await inPlace(null, children.of))),
    async close() {
      children.close();
      places.close();
      for (const slot of places.all) (await slot.process?.catch(() => null))?.end();
    },
  };
}

function createChildren(options: PdfSandboxOptions) {
  const limits = { ...LIMITS, ...options.limits };
  const tasksModule = options.tasksModule ?? TASKS.pdf;
  let isClosed = false;
  const start = (): Promise<SandboxProcess> =>
    isClosed
      ? Promise.reject(new Error("The PDF sandbox is closed"))
      : startSandboxProcess(tasksModule, limits);
  const of = async (slot: Slot): Promise<SandboxProcess> => {
    if (isClosed) throw new Error("The PDF sandbox is closed");
    const worn = slot.tasks >= (options.tasksPerProcess ?? TASKS_PER_PROCESS);
    const before = slot.process;
    const current = await before?.catch(() => null);
    if (slot.process !== before) return of(slot);
    if (current && current.usable() && !worn && current.heldBytes() < HELD_BYTES) return current;
    current?.end();
    slot.tasks = 0;
    slot.process = start();
    return slot.process;
  };
  return {
    start,
    of,
    retire(slot: Slot): void {
      void slot.process?.then((process) => process.end()).catch(() => {});
      slot.process = null;
    },
    close(): void {
      isClosed = true;
    },
  };
}

/** Callers wait for this child: a second start would delay both. */
async function warmFirst(
  [first]: readonly Slot[],
  start: () => Promise<SandboxProcess>,
): Promise<void> {
  if (first !== undefined) await (first.process ??= start());
}

/** A starting child is awaited only if none works. */
function isAnyUsable(slots: readonly Slot[]): Promise<boolean> {
  const usable = slots.map(async ({ process }) => {
    if (!(await process)?.usable()) throw new Error("This one cannot");
  });
  return Promise.any(usable).then(
    () => true,
    () => false,
  );
}
