/** Gives a short name of a text (FNV-1a, 32 bits): what it names cannot be read from it, and two texts may share one. */
export function shortHash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  return (value >>> 0).toString(16);
}
