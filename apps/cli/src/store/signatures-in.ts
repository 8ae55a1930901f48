import { fromHex } from "@paraphe/kernel/bytes";

/** Found without the product's own code. */
export type FoundSignature = {
  readonly subFilter: string;
  readonly byteRange: readonly [number, number, number, number];
  /** DER of the CMS or time-stamp token, without padding. */
  readonly contents: Uint8Array;
  readonly signedBytes: Uint8Array;
  /** Length of the revision that it closes. */
  readonly revisionLength: number;
};

function derLength(bytes: Uint8Array): number {
  const first = bytes[1] ?? 0;
  if (first < 0x80) return first + 2;
  const count = first & 0x7f;
  let length = 0;
  for (const byte of bytes.subarray(2, 2 + count)) length = length * 256 + byte;
  return length + 2 + count;
}

/** In the order of their revisions. */
export function signaturesIn(pdf: Uint8Array): FoundSignature[] {
  const text = Buffer.from(pdf).toString("latin1");
  const found = [...text.matchAll(/\/ByteRange\s*\[\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\]/g)].map(
    (match): FoundSignature => {
      const [a = 0, b = 0, c = 0, d = 0] = match.slice(1).map(Number);
      const padded = fromHex(text.slice(a + b + 1, c - 1).replace(/[\s<>]/g, ""));
      const object = text.slice(
        Math.max(0, text.lastIndexOf(" obj", match.index)),
        text.indexOf("endobj", match.index),
      );
      return {
        subFilter: /\/SubFilter\s*\/([\w.]+)/.exec(object)?.[1] ?? "",
        byteRange: [a, b, c, d],
        contents: padded.subarray(0, derLength(padded)),
        signedBytes: Buffer.concat([pdf.subarray(a, a + b), pdf.subarray(c, c + d)]),
        revisionLength: c + d,
      };
    },
  );
  return found.sort((one, other) => one.revisionLength - other.revisionLength);
}
