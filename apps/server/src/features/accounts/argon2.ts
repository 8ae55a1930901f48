import { Worker } from "node:worker_threads";

/** What a hash costs: the memory in KiB. */
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

/** Argon2id (RFC 9106) in a thread of its own. */
export type Argon2 = {
  hash(password: string, cost: Argon2Cost): Promise<string>;
  verify(hashed: string, password: string): Promise<boolean>;
  /** Ends the thread; what it was asked for fails. */
  close(): Promise<void>;
};

type Pending = {
  readonly resolve: (value: string | boolean) => void;
  readonly reject: (error: unknown) => void;
};
/** Distributes over the kinds of task. */
type Asked<T> = T extends unknown ? Omit<T, "id"> : never;

const THREAD = new URL("./argon2-thread.ts", import.meta.url);

/**
 * Gives a thread that hashes one password at a time, started by the first: whoever asks for many, they take one processor, and that one only when nobody
 * else wants it. Node's own pool would take as many as there are, and its threads serve files and keys too.
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
      // Nothing waits for it: the process may end.
      if (pending.size === 0) started.unref();
      if ("error" in answer) asked?.reject(answer.error);
      else asked?.resolve(answer.value);
    });
    // What is asked of the next thread is not ended by this one: the exit alone ends, and it follows an error.
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
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
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
