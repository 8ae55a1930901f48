import type { FieldType } from "@paraphe/contracts";
import type { IconName } from "../../../../ui/icon/icon.tsx";

/** Names, and the size of a new field on A4 (fractions of the page). */
type FieldKind = {
  readonly type: FieldType;
  readonly tool: string;
  readonly short: string;
  readonly size: { readonly width: number; readonly height: number };
};

export const FIELD_KINDS: readonly FieldKind[] = [
  { type: "signature", tool: "Signature", short: "Signature", size: { width: 0.3, height: 0.064 } },
  { type: "initials", tool: "Paraphe", short: "Paraphe", size: { width: 0.1, height: 0.042 } },
  { type: "date", tool: "Date de signature", short: "Date", size: { width: 0.18, height: 0.032 } },
  { type: "name", tool: "Nom complet", short: "Nom", size: { width: 0.3, height: 0.032 } },
  { type: "text", tool: "Texte libre", short: "Texte", size: { width: 0.3, height: 0.036 } },
  { type: "checkbox", tool: "Case à cocher", short: "Case", size: { width: 0.04, height: 0.028 } },
  {
    type: "mention",
    tool: "Mention manuscrite",
    short: "Mention",
    size: { width: 0.45, height: 0.05 },
  },
];

export function fieldKind(type: FieldType): FieldKind {
  const kind = FIELD_KINDS.find((entry) => entry.type === type);
  if (!kind) throw new Error(`unknown field type ${type}`);
  return kind;
}

export const FIELD_ICONS: Readonly<Record<FieldType, IconName>> = {
  signature: "signature",
  initials: "initials",
  date: "calendar",
  name: "user",
  text: "text",
  checkbox: "checkbox",
  mention: "mention",
};
