/** Gives the present moment. A port, so that a test may hold or move it. */
export type Clock = () => Date;

/** The machine's clock. */
export const systemClock: Clock = () => new Date();

/** Gives a maker of UUIDs version 7: time first, so that new rows lie together in an index. Source: RFC 9562 §5.7. */
export function createIdMaker(clock: Clock, random: (length: number) => Uint8Array): () => string {
  return () => {
    const bytes = new Uint8Array(16);
    bytes.set(random(10), 6);
    new DataView(bytes.buffer).setUint16(0, Math.floor(clock().getTime() / 2 ** 32));
    new DataView(bytes.buffer).setUint32(2, clock().getTime() % 2 ** 32);
    bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
    bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
    const hex = Buffer.from(bytes).toString("hex");
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      hex.slice(12, 16),
      hex.slice(16, 20),
      hex.slice(20),
    ].join("-");
  };
}
