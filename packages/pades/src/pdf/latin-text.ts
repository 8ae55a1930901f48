const CHUNK = 8_192;

/** Gives bytes as text, one character a byte: the decoder that is called latin1 is Windows-1252, which does not come back. */
export function latinText(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return text;
}
