import type { SavedSignature } from "@paraphe/contracts";
import type { ChosenMark, MarkLook } from "./chosen-mark.ts";

/** One of the account's own signatures; `image` is an address the page may show, `text` and `font` are those of a typed one. */
export type SavedMark = Pick<SavedSignature, "id" | "name" | "image" | "is_default" | "text" | "font">;

/** Gives how a kept signature looks: what is typed is drawn in this page's own fonts. */
export function savedLook({ image, text, font }: Pick<SavedMark, "image" | "text" | "font">): MarkLook {
  return text !== null && font !== null ? { kind: "text", text, font } : { kind: "image", src: image };
}

/** Gives a kept signature as the mark chosen to sign. */
export function savedChoice(saved: SavedMark): ChosenMark {
  return { mark: { kind: "saved", saved_signature_id: saved.id }, look: savedLook(saved) };
}
