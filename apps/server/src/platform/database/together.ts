import { inParallel } from "./in-parallel.ts";

/** `inParallel` with results by place. */
export async function together<T extends readonly unknown[]>(
  work: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const named = Object.fromEntries(Object.entries<Promise<unknown>>(work));
  return Object.values(await inParallel(named)) as unknown as T;
}
