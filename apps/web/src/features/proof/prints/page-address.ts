/** The address of a print's proof, whole, as its code holds it. */
export function pageAddress(uuid: string, sig: string): string {
  return new URL(`/verify/${encodeURIComponent(uuid)}?sig=${encodeURIComponent(sig)}`, window.location.origin).href;
}
