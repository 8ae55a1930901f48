/** Gives one or two initials of a full name: « Clémence Aubry-Lefèvre » → « CA ». */
export function initials(fullName: string): string {
  const words = fullName.trim().split(/\s+/u).filter(Boolean);
  const first = words[0];
  const last = words.length > 1 ? words.at(-1) : undefined;
  return [first, last]
    .filter((word) => word !== undefined)
    .map((word) => [...word][0]?.toLocaleUpperCase("fr-FR") ?? "")
    .join("");
}
