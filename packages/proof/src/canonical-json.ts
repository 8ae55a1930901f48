/**
 * Gives the canonical form of a JSON value; a member that is `undefined` is left out, as JSON
 * leaves it.
 * Errors: TypeError for what JSON cannot write.
 * Source: RFC 8785 (members in the order of their names' UTF-16 code units, numbers and strings as
 * ECMAScript writes them).
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

/** The members of a JWS header that are read here, of any type. */
type JwsHeader = { readonly alg: unknown; readonly kid: unknown; readonly x5c: readonly unknown[] };

/**
 * Reads a JWS header (JSON text); null for one that is not ES256 with certificates, or that asks
 * for more than is done here: no extension is understood, and a payload
 * is always base64url.
 * Errors: SyntaxError, TypeError for what is no JSON object.
 * Source: RFC 7515 §4.1.6 (x5c), §4.1.11 (crit); RFC 7797 §3 (b64); RFC 7518 §3.4 (ES256 alone: a
 * header does not choose how it is checked).
 */
export function readJwsHeader(text: string): JwsHeader | null {
  const header = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const { alg, kid, x5c } = header;
  if (alg !== "ES256" || !Array.isArray(x5c) || "crit" in header || "b64" in header) return null;
  return { alg, kid, x5c };
}
