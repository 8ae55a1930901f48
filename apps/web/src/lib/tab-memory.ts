const PREFIX = "paraphe.kept.";

/**
 * Keeps something of a signed-in person's for the life of this tab, reloads included; false when the browser has no room or forbids it.
 * `owner` is their id: nobody else who signs in here is given it. `null` takes it away.
 */
export function keepInTab(name: string, { owner, value }: { readonly owner: string; readonly value: unknown }): boolean {
  try {
    if (value === null) sessionStorage.removeItem(PREFIX + name);
    else sessionStorage.setItem(PREFIX + name, JSON.stringify({ owner, value }));
    return true;
  } catch (cause) {
    if (cause instanceof DOMException) return false;
    throw cause;
  }
}

/** Gives what was kept, as it was read: whoever asks checks its shape. Undefined when nothing was, or for somebody else. */
export function keptInTab(name: string, owner: string): unknown {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(PREFIX + name) ?? "null");
    return typeof kept === "object" && kept !== null && "owner" in kept && "value" in kept && kept.owner === owner ? kept.value : undefined;
  } catch (cause) {
    // Storage refused by the browser, or text that is not ours: nothing was kept.
    if (cause instanceof DOMException || cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

/** Forgets all of it: its person has left. */
export function forgetTab(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause;
  }
}
