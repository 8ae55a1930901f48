import { UNSAVED_EDITS_DAYS } from "@paraphe/contracts";

const PREFIX = "paraphe.kept.";
const LONGEST_MS = UNSAVED_EDITS_DAYS * 86_400_000;

type Kept = { readonly owner: string; readonly value: unknown };
/** As it is written: `at`, in milliseconds of the epoch, is when. */
type Entry = Kept & { readonly at: number };
type Memory = "tab" | "device";
/** Looked at when used: a browser may refuse the very name. */
const storageOf = (memory: Memory): Storage => (memory === "tab" ? sessionStorage : localStorage);

/**
 * Keeps something of a signed-in person's for the life of this tab, reloads included; false when the browser has no room or forbids it.
 * `owner` is their id: nobody else who signs in here is given it. `null` takes it away.
 */
export function keepInTab(name: string, kept: Kept): boolean {
  return keep("tab", name, kept);
}

/** Gives what was kept, as it was read: whoever asks checks its shape. Undefined when nothing was, or for somebody else. */
export function keptInTab(name: string, owner: string): unknown {
  return kept("tab", name, owner);
}

/**
 * As `keepInTab`, and through the closing of the tab: for work that would be lost with it, until it is saved, its person leaves, or
 * `UNSAVED_EDITS_DAYS` days have passed since it was last written.
 */
export function keepOnDevice(name: string, kept: Kept): boolean {
  return keep("device", name, kept);
}

/** As `keptInTab`, of what `keepOnDevice` kept. */
export function keptOnDevice(name: string, owner: string): unknown {
  return kept("device", name, owner);
}

/** Gives the names that begin so of what is kept on the device for somebody, the last written first. */
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

/** Forgets all of it: its person has left. */
export function forgetKept(): void {
  for (const memory of ["tab", "device"] as const) {
    tolerantly(() => {
      const storage = storageOf(memory);
      for (const key of keysOf(storage)) storage.removeItem(key);
    }, undefined);
  }
}

/** Forgets what has waited on this device for too long, whoever it was of. */
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

/** Gives what stands under a key when it is ours, and was written lately enough. */
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

/** Storage refused by the browser, no room in it, or text that is not ours: nothing is kept. */
function tolerantly<T>(action: () => T, otherwise: T): T {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof DOMException || cause instanceof SyntaxError) return otherwise;
    throw cause;
  }
}
