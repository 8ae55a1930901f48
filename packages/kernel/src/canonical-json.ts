/**
 * `undefined` members are omitted.
 * Errors: TypeError for what JSON cannot write.
 * Source: RFC 8785 (members by UTF-16 code units, numbers and strings as ECMAScript).
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value as Readonly<Record<string, unknown>>)
      .filter(([, member]) => member !== undefined)
      .toSorted(([left], [right]) => (left < right ? -1 : 1));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
  }
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined || (typeof value === "number" && !Number.isFinite(value)))
    throw new TypeError("Expected a JSON value");
  return text;
}

/** The canonical form in UTF-8, to hash or sign. */
export function canonicalBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(canonicalJson(value));
}
