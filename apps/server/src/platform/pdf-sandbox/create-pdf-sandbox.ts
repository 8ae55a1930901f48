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

/** Of two that want one processor, whoever is at 0 gets nine parts of ten (sched(7)). */
const PRIORITIES = { background: 10, ordinary: 0 } as const;

/** Sets the priority of a child for its next task. */
type GiveWay = (pid: number, task: keyof typeof PRIORITIES) => void;
type Rights = { readonly mayRaise: boolean; readonly set: typeof setPriority };

/**
 * Gives what makes background tasks give way to all others. Linux lets anybody lower a priority, and few raise one again (RLIMIT_NICE, CAP_SYS_NICE):
 * where it cannot be raised, `mayRaise` says so and no child is ever lowered, since the next task in it may be somebody's who waits.
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
      // It ended meanwhile: its task says so.
    }
    if (task === "background") lowered.add(pid);
    else lowered.delete(pid);
  };
}

/** Root may; anybody else is told so by the kernel when it is tried, and a process would stay low: not tried. */
function canRaise(): boolean {
  return process.getuid?.() === 0;
}

/** Most tasks take milliseconds: waiting a moment for a child that is there is cheaper than starting one, and holding its memory. */
const PATIENCE_MS = 100;
const IDLE_MS = 60_000;

/** The places where tasks run. Whoever takes one gives it back, and goes through the task line first: it lets in no more takers than places. */
type Places<T> = {
  readonly all: readonly T[];
  /** Gives a place that was used before if one is free within a moment, else one that was not. Throws when there are more takers than places. */
  take(): Promise<T>;
  give(place: T): void;
  close(): void;
};

type PlaceWaiter<T> = { readonly begin: (place: T) => void; readonly timer: NodeJS.Timeout };

/** `retire` ends what a place holds: it was not used for a minute, and another one is ready or at work. */
export function createPlaces<T>({
  all,
  retire,
}: {
  readonly all: readonly T[];
  readonly retire: (place: T) => void;
}): Places<T> {
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

/** Where tasks wait for a place. `enter` resolves with what gives the place back. */
type TaskLine = { enter(caller: SandboxCaller | null): Promise<() => void> };

type TaskLineSize = {
  readonly places: number;
  /** Of these places, as many are kept from patient callers; one is always theirs. */
  readonly kept: number;
  /** Of these places, as many as background tasks may take at once. */
  readonly background: number;
  /** Patient tasks that may wait, in all and for one caller. */
  readonly longest: number;
  readonly longestOfOne: number;
};

type Waiter = { readonly caller: SandboxCaller | null; readonly begin: () => void };

/**
 * Gives the order in which tasks run: our own first, then urgent callers', then patient ones'. One task at a time for a caller;
 * among patient callers the one served longest ago is next, so that nobody's many files stand before somebody's one. Background tasks take no more
 * places than are theirs, so that whoever asks for anything else finds a processor.
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
  const isFullFor = (caller: SandboxCaller | null) => {
    if (caller?.haste !== "patient") return false;
    const patient = waiting.filter((other) => other.caller?.haste === "patient");
    return (
      patient.length >= size.longest ||
      patient.filter((other) => other.caller?.key === caller.key).length >= size.longestOfOne
    );
  };

  return {
    enter: (caller) =>
      isFullFor(caller)
        ? Promise.reject(new SandboxBusyError())
        : wait({ waiting, serve, leave, caller }),
  };
}

type Wait = {
  readonly waiting: Waiter[];
  readonly serve: () => void;
  readonly leave: (caller: SandboxCaller | null) => void;
  readonly caller: SandboxCaller | null;
};

/** Resolves at the caller's turn; gives up the place in the line when nobody waits for the answer any more. */
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
export function createPdfSandbox(
  options: PdfSandboxOptions = {},
): PdfSandbox & { warm(): Promise<void> } {
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
  const line = createTaskLine({
    places: size,
    background: backgroundPlaces(),
    ...LINE,
    ...options.line,
  });
  const giveWay = createGiveWay();
  let closed = false;

  const start = () =>
    closed
      ? Promise.reject(new Error("The PDF sandbox is closed"))
      : startSandboxProcess(tasksModule, limits);
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
        const process = await processOf(slot);
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
async function warmFirst(
  [first]: readonly Slot[],
  start: () => Promise<SandboxProcess>,
): Promise<void> {
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
