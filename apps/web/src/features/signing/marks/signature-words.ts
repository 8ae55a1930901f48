import type { SavedSignature } from "@paraphe/contracts";
import { formatLongDay } from "../../../lib/format-dates.ts";
import { HANDS } from "../hands.ts";

/** Says how and when a signature was made, and when it last served. */
export function signatureWords({ kind, font, created_at: createdAt, last_used_at: lastUsedAt }: SavedSignature): string {
  const made = `${MADE[kind]}${kind === "typed" ? handName(font) : ""} le ${formatLongDay(createdAt)}`;
  return lastUsedAt === null ? made : `${made} · utilisée le ${formatLongDay(lastUsedAt)}`;
}

const MADE = { drawn: "Dessinée", typed: "Saisie", uploaded: "Importée" } as const;

function handName(font: SavedSignature["font"]): string {
  const hand = HANDS.find((entry) => entry.hand === font);
  return hand ? ` (${hand.name})` : "";
}
