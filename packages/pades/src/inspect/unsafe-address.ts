/** Schemes that lead to a page, a mail or a call. Every other one is some program's, known or not. */
const KNOWN_SCHEMES = new Set(["http", "https", "mailto", "tel"]);

/**
 * Says whether an address leads elsewhere than to a page, a mail, a call, or a place relative to the document: it may run something, or
 * open what is on the reader's machine or network.
 * Source: RFC 3986 §3.1, §4.2.
 */
export function isUnsafeAddress(address: string | undefined): boolean {
  // Readers drop blanks, controls and characters without a width before they read the scheme.
  const written = (address ?? "").replace(/[\s\p{C}\p{Z}]/gu, "");
  const scheme = /^([^/?#\\]*?):/.exec(written)?.[1];
  if (scheme !== undefined) return !KNOWN_SCHEMES.has(scheme.toLowerCase());
  // Two slashes name a machine, of the network where the reader takes them for a folder's.
  return /^[\\/]{2}/.test(written);
}
