const PREFIX = "paraphe.kept.";

type Kept = { readonly owner: string; readonly value: unknown };
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

/** As `keepInTab`, and through the closing of the tab: for work that would be lost with it, until it is saved or its person leaves. */
export function keepOnDevice(name: string, kept: Kept): boolean {
  return keep("device", name, kept);
}

/** As `keptInTab`, of what `keepOnDevice` kept. */
export function keptOnDevice(name: string, owner: string): unknown {
  return kept("device", name, owner);
}

/** Forgets all of it: its person has left. */
export function forgetKept(): void {
  for (const memory of ["tab", "device"] as const) {
    try {
      const storage = storageOf(memory);
      for (const key of Object.keys(storage)) if (key.startsWith(PREFIX)) storage.removeItem(key);
    } catch (cause) {
      if (!(cause instanceof DOMException)) throw cause;
    }
  }
}

function keep(memory: Memory, name: string, { owner, value }: Kept): boolean {
  try {
    if (value === null) storageOf(memory).removeItem(PREFIX + name);
    else storageOf(memory).setItem(PREFIX + name, JSON.stringify({ owner, value }));
    return true;
  } catch (cause) {
    if (cause instanceof DOMException) return false;
    throw cause;
  }
}

function kept(memory: Memory, name: string, owner: string): unknown {
  try {
    const found: unknown = JSON.parse(storageOf(memory).getItem(PREFIX + name) ?? "null");
    return typeof found === "object" && found !== null && "owner" in found && "value" in found && found.owner === owner
      ? found.value
      : undefined;
  } catch (cause) {
    // Storage refused by the browser, or text that is not ours: nothing was kept.
    if (cause instanceof DOMException || cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
