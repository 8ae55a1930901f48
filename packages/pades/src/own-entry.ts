/** Gives a table's own entry under a name that a file holds; every object also answers to `constructor` and the like. */
export function ownEntry<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
