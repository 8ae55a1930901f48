import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { type NamedAnnotation, PadesError, type PadesErrorCode } from "@paraphe/pades/parts";
import { CLIENT_FOLDER } from "../http/client-folder.ts";
import { sandboxStarts } from "../metrics/metrics.ts";
import { refuse } from "../settings/read-variable.ts";
import { SandboxAwayError, SandboxBusyError, SandboxLimitError } from "./pdf-sandbox.ts";
import { FOLDERS, readableByChildren, sandboxProgram } from "./sandbox-program.ts";
import { createBytesSent, withBeginning } from "./shared-bytes.ts";

type PrivatePlace = { readonly variable: string; readonly path: string; readonly example: string };

/**
 * Refuses secrets and files inside the program: children could read them, or the client's build
 * publish or erase them.
 * Errors: `SettingsError`.
 */
export function refuseInsideProgram(places: readonly PrivatePlace[]): void {
  const served = realPathOf(CLIENT_FOLDER);
  for (const { variable, path, example } of places) {
    const real = realPathOf(path);
    const isIn = (folder: string) => !relative(folder, real).startsWith("..");
    if (FOLDERS.some(isIn))
      refuse(
        variable,
        "désigne un emplacement dans les dossiers du programme, que peut lire ce qui analyse les fichiers reçus",
        example,
      );
    if (isIn(served))
      refuse(
        variable,
        "désigne un emplacement dans le dossier de l’interface, que le service montre à tous",
        example,
      );
  }
}

function realPathOf(path: string): string {
  return existsSync(path) || dirname(path) === path
    ? realpathSync(path)
    : join(realPathOf(dirname(path)), basename(path));
}

const PRLIMIT = "/usr/bin/prlimit";
const UNSHARE = "/usr/bin/unshare";
/** Root unshares the network; others in a user namespace, where permitted. */
const WITHOUT_NETWORK: readonly (readonly string[])[] = [
  ["--net"],
  ["--user", "--map-current-user", "--net"],
  ["--user", "--map-root-user", "--net"],
];

/** Without it, only V8's heap is bounded. */
export function hasMemoryLimit(prlimit: string = PRLIMIT): boolean {
  return process.platform === "linux" && existsSync(prlimit);
}

/** Null where the system cannot. Source: network_namespaces(7). */
export function networkTaker(unshare: string = UNSHARE): readonly string[] | null {
  if (process.platform !== "linux" || !existsSync(unshare)) return null;
  const words = WITHOUT_NETWORK.find(
    (flags) => spawnSync(unshare, [...flags, "--", "/bin/true"]).status === 0,
  );
  return words ? [unshare, ...words, "--"] : null;
}

let taker: readonly string[] | null | undefined;

export function hasNoNetwork(): boolean {
  if (taker === undefined) taker = networkTaker();
  return taker !== null;
}

/** Each word executes the next, so that it stays one process. */
function confined(
  command: readonly string[],
  { memoryMb }: { readonly memoryMb: number },
): readonly string[] {
  const network = hasNoNetwork() ? (taker ?? []) : [];
  const memory = hasMemoryLimit()
    ? [PRLIMIT, `--data=${memoryMb * 1024 * 1024}`, "--core=0", "--nofile=256", "--"]
    : [];
  return [...network, ...memory, ...command];
}

const NURSERY_MB = 4;

export type SandboxLimits = {
  readonly heapMb: number;
  readonly memoryMb: number;
  readonly taskMs: number;
  /** Pictures need native code; readers of PDF load none. */
  readonly addons?: "allowed";
};

/** Runs one task at a time; `usable`: false after a broken limit or the end. */
export type SandboxProcess = {
  readonly pid: number;
  readonly isCompiled: boolean;
  usable(): boolean;
  heldBytes(): number;
  run(task: string, args: readonly unknown[]): Promise<unknown>;
  end(): void;
};

type Answer = {
  readonly id: number;
  readonly ok: boolean;
  readonly heldBytes: number;
  readonly value?: unknown;
  readonly isAppended?: boolean;
  readonly error?: ErrorData;
};
type ErrorData = {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: unknown;
  readonly character?: string;
  readonly annotations?: readonly NamedAnnotation[];
  readonly offset?: number;
  readonly clause?: string;
};
type Pending = {
  readonly id: number;
  readonly first: unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly stopWatch: () => void;
};

export async function startSandboxProcess(
  tasksModule: URL,
  limits: SandboxLimits,
): Promise<SandboxProcess> {
  sandboxStarts.inc();
  const child = forkChild(await sandboxProgram(tasksModule), limits);
  const errors = collectErrors(child);
  const { isCompiled } = await readiness(child, errors);
  let pending: Pending | null = null;
  let over = false;
  let heldBytes = 0;
  let nextId = 1;
  const sent = createBytesSent();
  const finish = (settle: (task: Pending) => void) => {
    if (pending === null) return;
    pending.stopWatch();
    const task = pending;
    pending = null;
    settle(task);
  };
  const end = () => {
    over = true;
    child.kill("SIGKILL");
  };
  child.on("message", (answer: Answer) => {
    if (pending?.id !== answer.id) return;
    heldBytes = answer.heldBytes;
    if (answer.ok) return finish((task) => task.resolve(withBeginning(task.first, answer)));
    const error = rebuildError(answer.error);
    if (error instanceof SandboxLimitError) end();
    finish((task) => task.reject(error));
  });
  child.on("exit", (_code, signal) => {
    over = true;
    finish((task) => task.reject(endOf(signal, errors.text())));
  });
  child.on("error", end);
  return {
    pid: child.pid ?? 0,
    isCompiled,
    usable: () => !over,
    heldBytes: () => heldBytes,
    end,
    run: (task, args) =>
      new Promise((resolve, reject) => {
        const stopWatch = watchTime(child.pid, limits.taskMs, (error) => {
          finish((late) => late.reject(error));
          end();
        });
        pending = { id: nextId++, first: args[0], resolve, reject, stopWatch };
        child.send({ id: pending.id, task, ...sent.pack(args) }, (error) => {
          if (!error) return;
          // News of its end may follow: the repeated task needs another child.
          over = true;
          finish((unsent) =>
            unsent.reject(new SandboxAwayError("The PDF sandbox had ended", { cause: error })),
          );
        });
      }),
  };
}

/** Runs once more where a child was ended from outside. */
export async function againWhenAway<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof SandboxAwayError) return run();
    throw error;
  }
}

/** Clock time, in multiples of `taskMs`, on a busy machine. */
const WAITS = 6;
const LOOK_MS = 100;

/**
 * Stops after `taskMs` of a processor, or much longer on the clock: a busy machine is no fault.
 * Gives the function that ends the watch.
 */
function watchTime(
  pid: number | undefined,
  taskMs: number,
  end: (error: Error) => void,
): () => void {
  const from = performance.now();
  let before: number | null = null;
  let unread = 0;
  const begin = () => {
    // Most tasks have ended by then: the time passed counts.
    before = processorMs(pid);
    unread = performance.now() - from;
    timer = setTimeout(look, Math.max(0, taskMs - unread));
  };
  const look = () => {
    const waited = performance.now() - from;
    const now = processorMs(pid);
    const used = before === null || now === null ? waited : unread + now - before;
    if (used >= taskMs) return end(new SandboxLimitError("time"));
    if (waited >= taskMs * WAITS) return end(new SandboxBusyError());
    timer = setTimeout(look, Math.max(LOOK_MS, taskMs - used));
  };
  let timer = setTimeout(begin, Math.min(LOOK_MS, taskMs));
  return () => clearTimeout(timer);
}

/**
 * Null when unknown. Source: proc_pid_stat(5), fields 14 and 15, in hundredths of a second.
 */
function processorMs(pid: number | undefined): number | null {
  if (process.platform !== "linux" || pid === undefined) return null;
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}

/**
 * The kernel would otherwise end the largest process: the service. Source: proc(5),
 * `oom_score_adj`.
 */
function offerToKernel(pid: number | undefined): void {
  if (process.platform !== "linux" || pid === undefined) return;
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "700");
  } catch {
    // The kernel's own choice remains.
  }
}

/**
 * A child has no environment; it reads its program and packages alone (no keys, files or `/proc`),
 * writes and starts nothing, loads native code only by `addons`, and has no network where possible.
 */
function forkChild(program: string, limits: SandboxLimits): ChildProcess {
  const nodeFlags = [
    `--max-old-space-size=${limits.heapMb}`,
    `--max-semi-space-size=${NURSERY_MB}`,
    "--disable-warning=ExperimentalWarning",
    "--permission",
    ...readableByChildren(dirname(program)).map((path) => `--allow-fs-read=${path}`),
    ...(limits.addons === "allowed" ? ["--allow-addons", "--disable-warning=PERM0001"] : []),
  ];
  const [execPath = process.execPath, ...execArgv] = confined(
    [process.execPath, ...nodeFlags],
    limits,
  );
  const child = fork(program, {
    execPath,
    execArgv,
    // A compile cache needs write access, and the service would run what a child wrote.
    env: { NODE_ENV: process.env.NODE_ENV ?? "", MALLOC_ARENA_MAX: "1" },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  offerToKernel(child.pid);
  return child;
}

/** V8 gives its reason at the end. */
function collectErrors(child: ChildProcess): { text(): string } {
  let kept = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    kept = (kept + chunk).slice(-8_000);
  });
  return { text: () => kept };
}

type Ready = { readonly isCompiled: boolean };

async function readiness(child: ChildProcess, errors: { text(): string }): Promise<Ready> {
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.once("message", resolve as (message: unknown) => void);
    child.once("error", reject);
    child.once("exit", () =>
      reject(new SandboxAwayError(`The PDF sandbox did not start: ${errors.text()}`)),
    );
  });
  child.removeAllListeners("exit");
  return ready;
}

/** Broken limits end by SIGABRT, SIGSEGV, SIGTRAP or a code; these come from outside. */
const FROM_OUTSIDE: readonly (NodeJS.Signals | null)[] = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"];

function endOf(signal: NodeJS.Signals | null, said: string): Error {
  if (ranOutOfMemory(said)) return new SandboxLimitError("memory");
  return FROM_OUTSIDE.includes(signal)
    ? new SandboxAwayError(`The PDF sandbox was ended by ${signal}`)
    : new SandboxLimitError("crash");
}

const OUT_OF_MEMORY =
  /out of memory|allocation failed|Cannot allocate memory|memory allocation|bad_alloc/i;

function ranOutOfMemory(text: string): boolean {
  return OUT_OF_MEMORY.test(text);
}

function rebuildError(data: ErrorData | undefined): Error {
  if (!data) return new Error("The sandbox answered without an error");
  const cause = Object.assign(new Error(data.message), { name: data.name, stack: data.stack });
  if (data.name === "PadesError") {
    const detail = {
      ...(data.character === undefined ? {} : { character: data.character }),
      ...(data.annotations === undefined ? {} : { annotations: data.annotations }),
      ...(data.offset === undefined ? {} : { offset: data.offset }),
      ...(data.clause === undefined ? {} : { clause: data.clause }),
    };
    return new PadesError(data.code as PadesErrorCode, data.message, { ...detail, cause });
  }
  if (
    data.name === "RangeError" &&
    (ranOutOfMemory(data.message) ||
      /call stack|Invalid (array|string) length|larger than/i.test(data.message))
  )
    return new SandboxLimitError("memory", { cause });
  if (
    data.code === "ERR_BUFFER_TOO_LARGE" ||
    data.code === "Z_MEM_ERROR" ||
    ranOutOfMemory(data.message)
  )
    return new SandboxLimitError("memory", { cause });
  return new Error(`A sandbox task failed: ${data.message}`, { cause });
}
