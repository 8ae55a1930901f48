const MOST_CHECKED = 2_000;

/** What each file was when its hash was found right, the oldest forgotten first: a reader of many parts has it computed once. */
export type CheckedFiles<T> = { get(name: string): T | undefined; set(name: string, state: T): void };

export function createCheckedFiles<T>(): CheckedFiles<T> {
  const checked = new Map<string, T>();
  return {
    get: (name) => checked.get(name),
    set(name, state) {
      checked.delete(name);
      const oldest = checked.size < MOST_CHECKED ? undefined : checked.keys().next().value;
      if (oldest !== undefined) checked.delete(oldest);
      checked.set(name, state);
    },
  };
}
