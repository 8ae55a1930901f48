/** Gives a title as a file name: lowercase, strict (specification §7 'Download file names'). */
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

/** Gives a short name of a text (FNV-1a, 32 bits): what it names cannot be read from it, and two texts may share one. */
export function shortHash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  return (value >>> 0).toString(16);
}

/** « 06 12 34 56 78 » for a French number kept as `+33612345678`; another country's as it is kept. */
export function formatPhone(number: string): string {
  const french = /^\+33([1-9])(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(number);
  return french ? `0${french.slice(1).join(" ")}` : number;
}
