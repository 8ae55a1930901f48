import type { KeyFacts } from "../../../server/src/features/trust/public.ts";
import { PURPOSES } from "./texts.ts";

const COLUMNS = ["Rôle", "Nom", "Numéro de série", "Valable", "État", "Clé", "Liste jusqu’au"] as const;

const ORDER = [...Object.keys(PURPOSES), "hsm"];

/** Gives the keys as a table in French: the living ones first, each list from the root down. */
export function describeKeys(keys: readonly KeyFacts[]): readonly string[] {
  const ordered = [...keys].sort(
    (left, right) =>
      Number(left.retiredAt !== null) - Number(right.retiredAt !== null) || ORDER.indexOf(left.purpose) - ORDER.indexOf(right.purpose),
  );
  const rows: readonly (readonly string[])[] = [COLUMNS, ...ordered.map(rowOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function rowOf(key: KeyFacts): readonly string[] {
  return [
    key.purpose === "hsm" ? "cachet (HSM)" : PURPOSES[key.purpose],
    key.name,
    key.serialNumber,
    `${day(key.notBefore)} – ${day(key.notAfter)}`,
    stateOf(key),
    placeOf(key),
    key.listUntil === null ? "–" : day(key.listUntil),
  ];
}

/** A root's key is never destroyed, retired or not: what is not here was taken offline. */
function placeOf({ purpose, hasKey }: KeyFacts): string {
  if (purpose === "hsm") return "dans le HSM";
  if (hasKey) return "dans la base";
  return purpose === "root" ? "hors ligne" : "détruite";
}

function stateOf({ revokedAt, retiredAt }: KeyFacts): string {
  if (revokedAt !== null) return `révoquée le ${day(revokedAt)}`;
  return retiredAt === null ? "en service" : `retirée le ${day(retiredAt)}`;
}

function day(date: Date): string {
  return new Intl.DateTimeFormat("fr-FR", { dateStyle: "short", timeZone: "Europe/Paris" }).format(date);
}
