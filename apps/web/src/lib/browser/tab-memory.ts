import { UNSAVED_EDITS_DAYS } from "@paraphe/contracts";

const PREFIX = "paraphe.kept.";
const LONGEST_MS = UNSAVED_EDITS_DAYS * 86_400_000;

type Kept = { readonly owner: string; readonly value: unknown };
/** `at`: milliseconds of the epoch. */
type Entry = Kept & { readonly at: number };
type Memory = "tab" | "device";
/** Read at each use, because a browser may refuse the very name. */
const storageOf = (memory: Memory): Storage => (memory === "tab" ? sessionStorage : localStorage);

/**
 * Stores for `owner` alone (a user id), across reloads; `null` removes it. False when the browser
 * refuses.
 */
export function storeInTab(name: string, kept: Kept): boolean {
  return keep("tab", name, kept);
}

/** Unchecked, as it was read; undefined for another owner. */
export function keptInTab(name: string, owner: string): unknown {
  return kept("tab", name, owner);
}

/**
 * Stores unsaved work beyond the tab, until it is saved, its owner leaves or `UNSAVED_EDITS_DAYS`
 * have passed.
 */
export function storeOnDevice(name: string, kept: Kept): boolean {
  return keep("device", name, kept);
}

export function keptOnDevice(name: string, owner: string): unknown {
  return kept("device", name, owner);
}

/** Names with this prefix, the last written first. */
export function namesOnDevice(start: string, owner: string): readonly string[] {
  return tolerantly<readonly string[]>(
    () =>
      keysOf(localStorage)
        .flatMap((key) => {
          const name = key.slice(PREFIX.length);
          const entry = name.startsWith(start) ? read(localStorage, key) : undefined;
          return entry?.owner === owner ? [{ name, at: entry.at }] : [];
        })
        .toSorted((one, other) => other.at - one.at)
        .map(({ name }) => name),
    [],
  );
}

export function forgetKept(): void {
  for (const memory of ["tab", "device"] as const) {
    tolerantly(() => {
      const storage = storageOf(memory);
      for (const key of keysOf(storage)) storage.removeItem(key);
    }, undefined);
  }
}

export function forgetOverdue(): void {
  tolerantly(() => {
    for (const key of keysOf(localStorage))
      if (read(localStorage, key) === undefined) localStorage.removeItem(key);
  }, undefined);
}

function keep(memory: Memory, name: string, { owner, value }: Kept): boolean {
  return tolerantly(() => {
    const storage = storageOf(memory);
    const entry: Entry = { owner, value, at: Date.now() };
    if (value === null) storage.removeItem(PREFIX + name);
    else storage.setItem(PREFIX + name, JSON.stringify(entry));
    return true;
  }, false);
}

function kept(memory: Memory, name: string, owner: string): unknown {
  const entry = tolerantly(() => read(storageOf(memory), PREFIX + name), undefined);
  return entry?.owner === owner ? entry.value : undefined;
}

function read(storage: Storage, key: string): Entry | undefined {
  const found: unknown = tolerantly<unknown>(
    () => JSON.parse(storage.getItem(key) ?? "null"),
    null,
  );
  return isEntry(found) && Date.now() - found.at < LONGEST_MS ? found : undefined;
}

function isEntry(found: unknown): found is Entry {
  return (
    typeof found === "object" &&
    found !== null &&
    "value" in found &&
    "owner" in found &&
    "at" in found &&
    typeof found.at === "number"
  );
}

function keysOf(storage: Storage): readonly string[] {
  return Object.keys(storage).filter((key) => key.startsWith(PREFIX));
}

/** Storage may be refused or full, or contain another program's text. */
function tolerantly<T>(action: () => T, otherwise: T): T {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof DOMException || cause instanceof SyntaxError) return otherwise;
    throw cause;
  }
}
