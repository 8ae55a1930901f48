import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export type MainProcess = {
  readonly child: ChildProcess;
  /** Rejects when the process ends before its ready line. */
  readonly ready: Promise<void>;
  readonly exit: Promise<number | null>;
  stdout(): string;
  stderr(): string;
};

/** The real service as a process, with only these settings; `openFiles`: its limit. */
export function runMain(
  settings: Readonly<Record<string, string>>,
  cwd: string,
  { openFiles }: { readonly openFiles?: number } = {},
): MainProcess {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...settings };
  const limits = openFiles === undefined ? "" : `ulimit -n ${openFiles}; `;
  const child = spawn("/bin/sh", ["-c", `${limits}exec "$0" "$1"`, process.execPath, MAIN], {
    env,
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (said.out += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said.err += chunk));
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", () => {
      if (/^Paraphe est prêt : /m.test(said.out)) resolve();
    });
    void exit.then((code) => reject(new Error(`ended with code ${code}: ${said.err}`)));
  });
  ready.catch(() => {});
  return { child, ready, exit, stdout: () => said.out, stderr: () => said.err };
}

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
