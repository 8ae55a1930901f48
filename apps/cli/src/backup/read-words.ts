import { resolve } from "node:path";
import { parseArgs } from "node:util";

type Options = Readonly<Record<string, { readonly type: "string" | "boolean" }>>;
type Words = {
  readonly place: string;
  text(name: string): string | null;
  has(name: string): boolean;
};

/** Null for a misuse. */
export function readWords(words: readonly string[], options: Options): Words | null {
  try {
    const { positionals, values } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { ...options },
    });
    const [place, ...more] = positionals;
    if (place === undefined || more.length > 0) return null;
    return {
      place,
      text: (name) => (typeof values[name] === "string" ? values[name] : null),
      has: (name) => values[name] === true,
    };
  } catch {
    return null;
  }
}

/** A path relative to the caller's folder. */
export const pathIn = (folder: string, path: string | null): string | null =>
  path === null ? null : resolve(folder, path);
