/** SHA-256 hashes, by their first eight bytes. */
export type HashSet = { add(sha256: Uint8Array): void; has(sha256: Uint8Array): boolean; readonly size: number };

/**
 * Gives a set of hashes that takes sixteen bytes for each at most: a million weigh what a Set of their texts would take for fifty thousand. Two hashes that begin
 * alike are one: among a million that happens once in forty million sets.
 */
export function createHashSet(): HashSet {
  let [slots, size, hasZero] = [new BigUint64Array(1 << 12), 0, false];
  const keyOf = (sha256: Uint8Array): bigint => new DataView(sha256.buffer, sha256.byteOffset, 8).getBigUint64(0);
  /** Open addressing: the place of a key, or the free one where it goes. A hash is spread already. */
  const placeOf = (table: BigUint64Array, key: bigint): number => {
    let place = Number(key & BigInt(table.length - 1));
    while (table[place] !== 0n && table[place] !== key) place = (place + 1) & (table.length - 1);
    return place;
  };
  const grow = (): void => {
    const larger = new BigUint64Array(slots.length * 2);
    for (const key of slots) if (key !== 0n) larger[placeOf(larger, key)] = key;
    slots = larger;
  };
  return {
    add(sha256) {
      const key = keyOf(sha256);
      if (key === 0n) {
        hasZero = true;
        return;
      }
      const place = placeOf(slots, key);
      if (slots[place] === key) return;
      slots[place] = key;
      size += 1;
      if (size * 4 > slots.length * 3) grow();
    },
    has(sha256) {
      const key = keyOf(sha256);
      return key === 0n ? hasZero : slots[placeOf(slots, key)] === key;
    },
    get size() {
      return size + (hasZero ? 1 : 0);
    },
  };
}
