type JwsHeader = { readonly alg: unknown; readonly kid: unknown; readonly x5c: readonly unknown[] };

/**
 * Null unless ES256 with certificates, no `crit`, and a base64url payload.
 * Errors: SyntaxError, TypeError for what is no JSON object.
 * Source: RFC 7515 §4.1.6 (x5c), §4.1.11 (crit); RFC 7797 §3 (b64); RFC 7518 §3.4.
 */
export function readJwsHeader(text: string): JwsHeader | null {
  const header = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const { alg, kid, x5c } = header;
  if (alg !== "ES256" || !Array.isArray(x5c) || "crit" in header || "b64" in header) return null;
  return { alg, kid, x5c };
}
