/** « J.-P. L. » of « Jean-Paul Lenoir »: as one initials a page. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/u).filter((word) => word !== "");
  const initials = words.map((word) =>
    word
      .split("-")
      .filter((part) => part !== "")
      .map((part) => `${[...part][0]?.toLocaleUpperCase("fr")}.`)
      .join("-"),
  );
  return initials.join("\u00a0");
}
