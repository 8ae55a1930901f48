const CHUNK = 8_192;

/** Gives bytes as text, one character a byte: the decoder that is called latin1 is Windows-1252, which does not come back. */
export function latinText(bytes: Uint8Array): string {
  let text = "";
  // Spread, each chunk would be walked by an iterator, and take four times as long.
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode.apply(null, list(bytes.subarray(at, at + CHUNK)));
  return text;
}

/** Whatever has a length and numbers is a list of arguments: the type of `apply` knows arrays alone. */
function list(bytes: Uint8Array): number[] {
  return bytes as unknown as number[];
}
