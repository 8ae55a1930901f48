import { FIELD_KINDS } from "@paraphe/contracts";
import { ofName } from "@paraphe/kernel/french-words";
import type { Arrangement } from "../../../../pdf/fields/arrange-boxes.ts";
import type { Delta } from "../../../../pdf/box.ts";
import type { DraftField } from "../draft/draft.ts";

const percent = new Intl.NumberFormat("fr-FR", {
  minimumFractionDigits: 0,
  maximumFractionDigits: 1,
});

/** « 9,5 % ». */
export function formatFraction(fraction: number): string {
  return `${percent.format(fraction * 100)}\u00a0%`;
}

/** A field's accessible name, announced when the field is added or moved. */
export function describeField(
  field: Pick<DraftField, "type" | "page" | "x" | "y"> & { readonly label?: string | null },
  recipientName: string,
): string {
  // The name contains the visible text (WCAG 2.5.3).
  const kind = field.label
    ? `${FIELD_KINDS[field.type].short} «\u00a0${field.label}\u00a0»`
    : FIELD_KINDS[field.type].short;
  return `${kind} ${ofName(recipientName || "ce destinataire")}, page ${field.page}, gauche ${formatFraction(field.x)}, haut ${formatFraction(field.y)}`;
}

/** « Déplacé de 5 points vers le bas ». */
export function describeNudge(kind: "move" | "resize", { dx, dy }: Delta): string {
  const points = Math.abs(dx) + Math.abs(dy);
  const amount = `${points} point${points > 1 ? "s" : ""}`;
  if (kind === "resize") {
    const side = dx === 0 ? "haut" : "large";
    return `${dx + dy > 0 ? "Plus" : "Moins"} ${side} de ${amount}`;
  }
  const direction = dx < 0 ? "la gauche" : dx > 0 ? "la droite" : dy < 0 ? "le haut" : "le bas";
  return `Déplacé de ${amount} vers ${direction}`;
}

/** Said after the number of fields. */
export const ARRANGED: Readonly<Record<Arrangement, string>> = {
  left: "alignés à gauche",
  center: "centrés sur la même verticale",
  right: "alignés à droite",
  top: "alignés en haut",
  middle: "centrés sur la même ligne",
  bottom: "alignés en bas",
  "spread-x": "répartis en largeur",
  "spread-y": "répartis en hauteur",
};

export function parsePercent(text: string): number | null {
  const value = Number(text.replace(/[\s\u00a0\u202f%]/g, "").replace(",", "."));
  return text.trim() !== "" && Number.isFinite(value) && value >= 0 && value <= 100
    ? value / 100
    : null;
}
