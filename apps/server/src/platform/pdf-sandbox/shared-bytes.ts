import { namesWithin, noteBeginning, noteLength } from "../content-hash.ts";

/** Shorter bytes pass faster than their digest. */
const SHORTEST_BYTES = 128 * 1_024;
const KEPT_BYTES = 24 * 1_024 * 1_024;

/** `begin`: kept bytes that come first; `keep`: the whole's name. SHA-256, hex. */
export type SharedBytes = {
  readonly begin: string | null;
  readonly keep: string | null;
  readonly forget: readonly string[];
};
type Packed = { readonly args: readonly unknown[]; readonly shared: SharedBytes | null };
export type BytesSent = { pack(args: readonly unknown[]): Packed };

/**
 * A document goes to a child once: a later task on it, or on a revision, gets what follows. Both
 * sides have the same names, the child the bytes.
 */
export function createBytesSent({ most = KEPT_BYTES, shortest = SHORTEST_BYTES } = {}): BytesSent {
  const lengths = new Map<string, number>();
  let total = 0;
  const makeRoom = (added: number): string[] => {
    const forget: string[] = [];
    for (const [name, length] of lengths) {
      if (total + added <= most) break;
      lengths.delete(name);
      total -= length;
      forget.push(name);
    }
    return forget;
  };
  return {
    pack(args) {
      const [first, ...others] = args;
      if (!(first instanceof Uint8Array) || first.length < shortest) return { args, shared: null };
      const names = namesWithin(first);
      const name = names.get(first.length) ?? "";
      let [begin, known]: [string | null, number] = [null, 0];
      for (const [one, length] of lengths)
        if (length > known && names.get(length) === one) [begin, known] = [one, length];
      const isKept = known < first.length && first.length <= most;
      const forget = isKept ? makeRoom(first.length) : [];
      if (isKept) {
        lengths.set(name, first.length);
        noteLength(first.length);
        total += first.length;
      }
      return {
        args: [first.subarray(known), ...others],
        shared: { begin, keep: isKept ? name : null, forget },
      };
    },
  };
}

export type BytesKept = { unpack(packed: Packed): readonly unknown[]; size(): number };

/** Runs in the child. Tasks get copies. */
export function createBytesKept(): BytesKept {
  const kept = new Map<string, Uint8Array>();
  return {
    unpack({ args, shared }) {
      if (shared === null) return args;
      const [rest, ...others] = args;
      const begin = shared.begin === null ? new Uint8Array() : kept.get(shared.begin);
      if (begin === undefined) throw new Error("The beginning of these bytes is not kept");
      for (const name of shared.forget) kept.delete(name);
      if (shared.keep === null) return [joinBytes(begin, rest as Uint8Array), ...others];
      const whole =
        begin.length === 0 ? (rest as Uint8Array) : joinBytes(begin, rest as Uint8Array);
      kept.set(shared.keep, whole);
      // A Buffer's `slice` would be the kept bytes themselves.
      return [new Uint8Array(whole), ...others];
    },
    size: () => kept.values().reduce((sum, { length }) => sum + length, 0),
  };
}

/** `isAppended`: the value follows the first argument's bytes. */
export type Appended = { readonly value?: unknown; readonly isAppended?: boolean };

/** Most tasks append, so the document need not return. */
export function withoutBeginning(first: unknown, value: unknown): Appended {
  const bytes = bytesOf(value);
  const isAppended =
    first instanceof Uint8Array &&
    bytes !== null &&
    bytes.length >= first.length &&
    Buffer.compare(first, bytes.subarray(0, first.length)) === 0;
  return isAppended
    ? { value: withBytes(value, bytes.slice(first.length)), isAppended }
    : { value, isAppended };
}

/** A task's copy and answer, once sent: large buffers bring full collections sooner. */
export function freeLarge(...values: readonly unknown[]): void {
  for (const bytes of values.map(bytesOf))
    if (bytes !== null && bytes.length >= SHORTEST_BYTES && bytes.buffer instanceof ArrayBuffer)
      bytes.buffer.transfer(0);
}

export function withBeginning(first: unknown, { value, isAppended }: Appended): unknown {
  const bytes = bytesOf(value);
  if (!isAppended || bytes === null) return value;
  const whole = joinBytes(first as Uint8Array, bytes);
  noteBeginning(whole, first as Uint8Array);
  return withBytes(value, whole);
}

function bytesOf(value: unknown): Uint8Array | null {
  if (value instanceof Uint8Array) return value;
  const { bytes } = (value ?? {}) as { readonly bytes?: unknown };
  return bytes instanceof Uint8Array ? bytes : null;
}

function withBytes(value: unknown, bytes: Uint8Array): unknown {
  return value instanceof Uint8Array ? bytes : { ...(value as object), bytes };
}

function joinBytes(begin: Uint8Array, rest: Uint8Array): Uint8Array {
  const whole = new Uint8Array(begin.length + rest.length);
  whole.set(begin);
  whole.set(rest, begin.length);
  return whole;
}
