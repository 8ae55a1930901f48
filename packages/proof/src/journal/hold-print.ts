import { isNear } from "./is-near.ts";
import type { JournalFacts } from "./journal-facts.ts";

/** A QR code as it is stored beside the journal, or as a proof tells of it. */
export type ClaimedPrint = { readonly id: string; readonly qrType: string; readonly createdAt: string };

/** Says, in French, where a QR code is not one that the journal tells of: another kind, another moment, or another envelope's. `where`: what is held against it. */
export function holdPrint(
  { prints }: Pick<JournalFacts, "prints">,
  { id, qrType, createdAt }: ClaimedPrint,
  where: "la base" | "la preuve",
): readonly string[] {
  const differs = (what: string, said: string, other: string): string =>
    `Pour ${what}, l’historique dit «\u00a0${said}\u00a0», ${where} «\u00a0${other}\u00a0».`;
  const made = prints.get(id);
  if (made === undefined) return ["L’historique de cette enveloppe ne connaît pas cette impression."];
  return [
    ...(made.qrType === null || made.qrType === qrType ? [] : [differs("le genre de l’impression", made.qrType, qrType)]),
    ...(isNear(made.at, createdAt) ? [] : [differs("la date de l’impression", made.at, createdAt)]),
  ];
}
