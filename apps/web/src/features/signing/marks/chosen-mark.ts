import type { Hand, SavedSignature, SignatureMark } from "@paraphe/contracts";
import type { Stroke } from "./stroke.ts";

/** How a mark looks on the page. */
export type MarkLook =
  | { readonly kind: "strokes"; readonly strokes: readonly Stroke[] }
  | { readonly kind: "text"; readonly text: string; readonly font: Hand }
  | { readonly kind: "image"; readonly src: string };
/** The mark a signer chose: what is sent, and how it looks. */
export type ChosenMark = { readonly mark: SignatureMark; readonly look: MarkLook };

/** What a mark is made for: a signature, or initials. */
export type MarkPurpose = "signature" | "initials";
/** A signer's two marks, each null until it is made. */
export type ChosenMarks = Readonly<Record<MarkPurpose, ChosenMark | null>>;
export const NO_MARKS: ChosenMarks = { signature: null, initials: null };

/** One of the account's own signatures; `image` is an address the page may show, `text` and `font` are those of a typed one. */
export type SavedMark = Pick<
  SavedSignature,
  "id" | "name" | "image" | "is_default" | "text" | "font"
>;

/** Gives how a kept signature looks: what is typed is drawn in this page's own fonts. */
export function savedLook({
  image,
  text,
  font,
}: Pick<SavedMark, "image" | "text" | "font">): MarkLook {
  return text !== null && font !== null
    ? { kind: "text", text, font }
    : { kind: "image", src: image };
}

/** Gives a kept signature as the mark chosen to sign. */
export function savedChoice(saved: SavedMark): ChosenMark {
  return { mark: { kind: "saved", saved_signature_id: saved.id }, look: savedLook(saved) };
}
