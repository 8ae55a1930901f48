/** Gives where an address leads, for a link; null for what is no address of a page. */
export function placeOf(address: string): { readonly href: string; readonly host: string } | null {
  if (!URL.canParse(address)) return null;
  const { protocol, href, host } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? { href, host } : null;
}
