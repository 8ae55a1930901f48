import { toHex } from "./bytes.ts";

/**
 * Version 7: new rows are adjacent in an index.
 * Source: RFC 9562 §5.7.
 */
export function createIdMaker(
  clock: () => Date,
  random: (length: number) => Uint8Array,
): () => string {
  return () => {
    const bytes = new Uint8Array(16);
    bytes.set(random(10), 6);
    new DataView(bytes.buffer).setUint16(0, Math.floor(clock().getTime() / 2 ** 32));
    new DataView(bytes.buffer).setUint32(2, clock().getTime() % 2 ** 32);
    bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
    bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
    return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };
}
