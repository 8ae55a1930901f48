import { inflateSync } from "node:zlib";

/**
 * Gives the TrueType file that a WOFF 1.0 file wraps.
 * Errors: TypeError when it is not WOFF.
 * Source: W3C WOFF 1.0 §3 to §5.
 */
export function woffToTrueType(woff: Uint8Array): Uint8Array {
  const view = new DataView(woff.buffer, woff.byteOffset, woff.byteLength);
  if (woff.length < 44 || view.getUint32(0) !== 0x774f_4646) throw new TypeError("Expected a WOFF 1.0 font");
  const count = view.getUint16(12);
  const tables = Array.from({ length: count }, (_, index) => readTable(woff, view, 44 + index * 20));
  const size = 12 + count * 16 + tables.reduce((sum, { data }) => sum + padded(data.length), 0);
  const out = new Uint8Array(size);
  const target = new DataView(out.buffer);
  const power = Math.floor(Math.log2(count));
  target.setUint32(0, view.getUint32(4));
  for (const [index, value] of [count, 16 << power, power, count * 16 - (16 << power)].entries()) target.setUint16(4 + index * 2, value);
  let offset = 12 + count * 16;
  for (const [index, { tag, checksum, data }] of tables.entries()) {
    for (const [word, value] of [tag, checksum, offset, data.length].entries()) target.setUint32(12 + index * 16 + word * 4, value);
    out.set(data, offset);
    offset += padded(data.length);
  }
  return out;
}

const padded = (length: number): number => (length + 3) & ~3;

function readTable(woff: Uint8Array, view: DataView, at: number): { tag: number; checksum: number; data: Uint8Array } {
  const [tag, offset, stored, original, checksum] = [0, 4, 8, 12, 16].map((part) => view.getUint32(at + part)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const bytes = woff.subarray(offset, offset + stored);
  return { tag, checksum, data: stored < original ? new Uint8Array(inflateSync(bytes, { maxOutputLength: original })) : bytes };
}
