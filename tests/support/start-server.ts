import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 15_000;

export type RunningServer = {
  /** Public address of the ready line; a worker has none. */
  readonly url: string;
  /** Local address, whatever the public one. */
  readonly localUrl: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Milliseconds from spawn to the ready line. */
  readonly startMs: number;
  said(): string;
  /** SIGTERM; gives the exit code. The data folder stays. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
  /** Resolves once the process has ended. */
  died(): Promise<void>;
  /** `stop`, and removes the data folder. */
  close(): Promise<void>;
};

export type ServerOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
  readonly port?: number;
  /** `start`: as `npm start`, client built; `main`: the server alone. */
  readonly entry?: "start" | "main";
  /** Folder of another version. */
  readonly root?: string;
};

export async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Leaves out the settings of this machine. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, TZ, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, LANG, TZ, TMPDIR, NODE_COMPILE_CACHE };
}

/** Node flags and variables of `npm start`. */
async function readStart(): Promise<{ flags: readonly string[]; env: NodeJS.ProcessEnv }> {
  const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    scripts: { start: string };
  };
  const words = scripts.start.split(" ");
  const flags = words.filter((word) => word.startsWith("--"));
  const settings = words.filter((word) => /^[A-Z_]+=/.test(word));
  return { flags, env: Object.fromEntries(settings.map((word) => word.split("="))) };
}

function waitForReady(child: ChildProcess, said: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}; it said:\n${said()}`));
    const timer = setTimeout(
      () => fail(`not ready within ${START_TIMEOUT_MS} ms`),
      START_TIMEOUT_MS,
    );
    child.stdout?.on("data", () => {
      const ready = /^Paraphe est prêt : (https?:\/\/\S+|tâches de fond)$/m.exec(
        said().replaceAll("\u00a0", " "),
      );
      if (!ready?.[1]) return;
      clearTimeout(timer);
      resolve(ready[1]);
    });
    child.once("exit", (code) => {
      clearTimeout(timer);
      fail(`ended with code ${code} before it was ready`);
    });
  });
}

/** Starts the real service on its own port and waits for its ready line. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "paraphe-test-")));
  const port = options.port ?? (await findFreePort());
  const entry = options.entry === "start" ? "scripts/start.ts" : "apps/server/src/main.ts";
  const { flags, env } = await readStart();
  const started = performance.now();
  const child = spawn(process.execPath, [...flags, entry], {
    cwd: options.root ?? ROOT,
    env: { ...cleanEnvironment(), ...env, DATA_DIR: dataDir, PORT: String(port), ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  const said = () => Buffer.concat(chunks).toString("utf8");
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const url = await waitForReady(child, said);
  const startMs = performance.now() - started;

  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    const code = await ended;
    clearTimeout(timer);
    return code;
  };
  return {
    url,
    localUrl: `https://localhost:${port}`,
    dataDir,
    pid: child.pid ?? 0,
    startMs,
    said,
    stop,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async died() {
      await ended;
    },
    async close() {
      await stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}
