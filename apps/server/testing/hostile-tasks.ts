import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { inflateSync } from "node:zlib";

const held: Uint8Array[] = [];

/** Things that a hostile document may make the core do. */
export async function loadTasks() {
  return {
    echo: async (bytes: Uint8Array) => bytes,
    pid: async () => process.pid,
    pidAfter: async (ms: number) =>
      new Promise((resolve) => setTimeout(() => resolve(process.pid), ms)),
    killed: async () => process.kill(process.pid, "SIGKILL"),
    environment: async () => ({ ...process.env }),
    loop: async () => {
      for (;;);
    },
    wait: async (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
    fillHeap: async () => {
      const kept: object[] = [];
      for (;;) kept.push({ kept: Array.from({ length: 1_000 }, (_, index) => ({ index })) });
    },
    fillBuffers: async () => {
      const kept: Uint8Array[] = [];
      for (;;) kept.push(new Uint8Array(8 * 1024 * 1024).fill(1));
    },
    hold: async (megabytes: number) => {
      held.push(new Uint8Array(megabytes * 1024 * 1024).fill(1));
      return process.pid;
    },
    inflate: async (bytes: Uint8Array) => inflateSync(bytes).length,
    recurse: async () => {
      const deeper = (depth: number): number => deeper(depth + 1) + 1;
      return deeper(0);
    },
    read: async (path: string) => readFileSync(path).length,
    list: async (path: string) => readdirSync(path).length,
    /** The error's code; null when the port answered. */
    connect: async (port: number) =>
      new Promise((resolve) => {
        const socket = connect(port, "127.0.0.1", () => resolve(null));
        socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      }),
    write: async (path: string) => writeFileSync(path, "x"),
    execute: async () => execFileSync("/bin/true").length,
    abort: async () => process.abort(),
    refuse: async () => {
      const { PadesError } = await import("@paraphe/pades/parts");
      throw new PadesError("pdf_encrypted", "The document asks for a password", {
        clause: "ISO 32000-2 §7.6",
        offset: 12,
      });
    },
    fail: async () => {
      throw new TypeError("a bug");
    },
  };
}
