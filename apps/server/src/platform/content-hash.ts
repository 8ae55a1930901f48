import { createHash, type Hash } from "node:crypto";

/** Shorter bytes are not worth a state: they are rarely hashed twice. */
const SHORTEST_REMEMBERED = 128 * 1_024;

/** By length, with the state after the longest. */
type Hashed = {
  readonly names: ReadonlyMap<number, string>;
  readonly hash: Hash;
  readonly at: number;
};

/** Bytes up to `at` stay as they are. */
const HASHED = new WeakMap<Uint8Array, Hashed>();

/** A revision begins with an earlier one of such a length. */
const lengthsOfEarlier = new Set<number>();
const MOST_LENGTHS = 256;

/** SHA-256, 32 bytes. */
export function hashOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length < SHORTEST_REMEMBERED)
    return new Uint8Array(createHash("sha256").update(bytes).digest());
  const name = namesWithin(bytes).get(bytes.length);
  if (name === undefined) throw new Error("These bytes were shortened after they were hashed");
  return new Uint8Array(Buffer.from(name, "hex"));
}

/**
 * Gives SHA-256 (hex) by length: of the whole, and of its beginnings of the lengths noted when it was
 * first hashed.
 */
export function namesWithin(bytes: Uint8Array): ReadonlyMap<number, string> {
  const before = HASHED.get(bytes);
  if (before?.at === bytes.length) return before.names;
  const names = new Map(before?.names);
  const hash = before?.hash.copy() ?? createHash("sha256");
  let at = before?.at ?? 0;
  const lengths = new Set([...lengthsOfEarlier, bytes.length]);
  for (const length of [...lengths].toSorted((left, right) => left - right)) {
    if (length <= at || length > bytes.length) continue;
    hash.update(bytes.subarray(at, length));
    at = length;
    names.set(length, hash.copy().digest("hex"));
  }
  HASHED.set(bytes, { names, hash, at });
  return names;
}

/** Of bytes that a later file may begin with; the oldest of 256 is forgotten. */
export function noteLength(length: number): void {
  lengthsOfEarlier.delete(length);
  lengthsOfEarlier.add(length);
  const [oldest] = lengthsOfEarlier;
  if (lengthsOfEarlier.size > MOST_LENGTHS && oldest !== undefined) lengthsOfEarlier.delete(oldest);
}

/** `whole` begins with `begin`, which stays as it is; what follows is hashed later, and alone. */
export function noteBeginning(whole: Uint8Array, begin: Uint8Array): void {
  const hashed = HASHED.get(begin);
  if (hashed && hashed.at <= begin.length) HASHED.set(whole, hashed);
}
