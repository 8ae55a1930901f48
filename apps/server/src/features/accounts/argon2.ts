import { Worker } from "node:worker_threads";

export type Argon2Cost = {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
};

export type Argon2Task = { readonly id: number; readonly password: string } & (
  | { readonly cost: Argon2Cost }
  | { readonly hashed: string }
);
export type Argon2Answer = { readonly id: number } & (
  | { readonly value: string | boolean }
  | { readonly error: unknown }
);

/** Argon2id (RFC 9106) in a worker thread. */
export type Argon2 = {
  hash(password: string, cost: Argon2Cost): Promise<string>;
  verify(hashed: string, password: string): Promise<boolean>;
  close(): Promise<void>;
};

type Pending = {
  readonly resolve: (value: string | boolean) => void;
  readonly reject: (error: unknown) => void;
};
type Asked<T> = T extends unknown ? Omit<T, "id"> : never;

const THREAD = new URL("./argon2-thread.ts", import.meta.url);

/**
 * Hashes one password at a time at low priority; the thread starts with the first. Node's own pool
 * would use every processor, and serves files and keys.
 */
export function createArgon2(): Argon2 {
  const pending = new Map<number, Pending>();
  let worker: Worker | null = null;
  let lastId = 0;

  const start = (): Worker => {
    const started = new Worker(THREAD);
    let cause: unknown;
    started.on("message", (answer: Argon2Answer) => {
      const asked = pending.get(answer.id);
      pending.delete(answer.id);
      if (pending.size === 0) started.unref();
      if ("error" in answer) asked?.reject(answer.error);
      else asked?.resolve(answer.value);
    });
    // Tasks fail at the exit: those of the next thread survive this error.
    started.on("error", (error) => {
      cause = error;
    });
    started.on("exit", () => {
      worker = null;
      for (const { reject } of pending.values())
        reject(new Error("The thread of passwords ended", { cause }));
      pending.clear();
    });
    return started;
  };
  const ask = (task: Asked<Argon2Task>): Promise<string | boolean> =>
    new Promise((resolve, reject) => {
      worker ??= start();
      worker.ref();
      const id = ++lastId;
      pending.set(id, { resolve, reject });
      worker.postMessage({ id, ...task });
    });
  return {
    hash: (password, cost) => ask({ password, cost }) as Promise<string>,
    verify: (hashed, password) => ask({ hashed, password }) as Promise<boolean>,
    async close() {
      await worker?.terminate();
    },
  };
}
