import type { SavedSignature as SavedSignatureAnswer } from "@paraphe/contracts";
import type { KeptMark } from "../seal/act-content.ts";
import { strokesSvg } from "./domain/strokes-svg.ts";
import { textSvg } from "./domain/text-svg.ts";
import type { SavedWithMark } from "./save-signature.ts";

export const SAVED_SIGNATURES = "/api/signature/saved-signatures/";

/** Gives a saved signature as the contract has it. Its strokes are in no answer: the picture is asked for by its address. */
export function presentSignature({ id, name, kind, isDefault, createdAt, lastUsedAt, mark }: SavedWithMark): SavedSignatureAnswer {
  return {
    id,
    name,
    kind,
    image: `${SAVED_SIGNATURES}${id}/image/`,
    is_default: isDefault,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
    text: mark.kind === "typed" ? mark.text : null,
    font: mark.kind === "typed" ? mark.hand : null,
  };
}

/** Gives the picture of a mark, and its type. */
export function pictureOf(mark: KeptMark): { readonly type: "image/svg+xml" | "image/png"; readonly bytes: Uint8Array } {
  if (mark.kind === "image") return { type: "image/png", bytes: new Uint8Array(Buffer.from(mark.png_base64, "base64")) };
  const svg = mark.kind === "strokes" ? strokesSvg(mark.strokes) : textSvg(mark);
  return { type: "image/svg+xml", bytes: new TextEncoder().encode(svg) };
}
