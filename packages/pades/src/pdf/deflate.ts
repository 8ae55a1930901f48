import { concatBytes } from "../asn1/der-writer.ts";
import { PadesError } from "../pades-error.ts";

/** Gives zlib data, as `/FlateDecode` wants it (ISO 32000-2 §7.4.4). */
export async function deflate(data: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(
    await new Response(new Blob([data as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer(),
  );
}

/** Gives the bytes that zlib data holds. Errors: PadesError `invalid_image` when they are not zlib or exceed the limit. */
export async function inflate(data: Uint8Array, limitBytes: number): Promise<Uint8Array> {
  const reader = new Blob([data as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  // As it comes: room for the whole limit would cost more than most data.
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return concatBytes(parts);
      if (length + value.length > limitBytes) break;
      parts.push(value);
      length += value.length;
    }
  } catch (cause) {
    throw new PadesError("invalid_image", "Expected zlib data", { cause });
  }
  await reader.cancel();
  throw new PadesError("invalid_image", `Expected at most ${limitBytes} bytes of pixels`);
}
