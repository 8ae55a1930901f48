/** A title as a file name (specification §7 'Download file names'). */
export function slugify(title: string): string {
  const slug = title
    .replaceAll("œ", "oe")
    .replaceAll("Œ", "oe")
    .replaceAll("æ", "ae")
    .replaceAll("Æ", "ae")
    .replaceAll("ß", "ss")
    .normalize("NFD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[’']/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return slug || "document";
}

/** FNV-1a, 32 bits: does not reveal the text; two texts may share one. */
export function shortHash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  return (value >>> 0).toString(16);
}

/** « 06 12 34 56 78 » for `+33612345678`; other countries unchanged. */
export function formatPhone(number: string): string {
  const french = /^\+33([1-9])(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(number);
  return french ? `0${french.slice(1).join(" ")}` : number;
}
