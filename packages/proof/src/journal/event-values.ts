/** Gives a text of an event; null for anything else. */
export function textIn(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}

/** Reads texts `{id}:{text}`, as events hold what they say of several things. */
export function pairsIn(value: unknown): ReadonlyMap<string, string> {
  return new Map(
    textsIn(value).flatMap((text) => {
      const at = text.indexOf(":");
      return at < 0 ? [] : [[text.slice(0, at), text.slice(at + 1)] as const];
    }),
  );
}

/** Reads `{document}:{SHA-256}`, one or several, as events name files. */
export function namedFilesIn(value: unknown): readonly (readonly [document: string, sha256: string])[] {
  return [...pairsIn(Array.isArray(value) ? value : [value])];
}

export function recordIn(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : null;
}
