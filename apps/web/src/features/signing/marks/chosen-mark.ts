import type { Hand, SavedSignature, SignatureMark } from "@paraphe/contracts";
import type { Stroke } from "./stroke.ts";

export type MarkLook =
  | { readonly kind: "strokes"; readonly strokes: readonly Stroke[] }
  | { readonly kind: "text"; readonly text: string; readonly font: Hand }
  | { readonly kind: "image"; readonly src: string };
export type ChosenMark = { readonly mark: SignatureMark; readonly look: MarkLook };

export type MarkPurpose = "signature" | "initials";
export type ChosenMarks = Readonly<Record<MarkPurpose, ChosenMark | null>>;
export const NO_MARKS: ChosenMarks = { signature: null, initials: null };

/** `image`: an address the page may show; `text` and `font`: of a typed one. */
export type SavedMark = Pick<
  SavedSignature,
  "id" | "name" | "image" | "is_default" | "text" | "font"
>;

/** A typed signature is drawn in the page's own fonts. */
export function savedLook({
  image,
  text,
  font,
}: Pick<SavedMark, "image" | "text" | "font">): MarkLook {
  return text !== null && font !== null
    ? { kind: "text", text, font }
    : { kind: "image", src: image };
}

export function savedChoice(saved: SavedMark): ChosenMark {
  return { mark: { kind: "saved", saved_signature_id: saved.id }, look: savedLook(saved) };
}

/** Begins with `noun` and the visible letters (WCAG 2.5.3). */
export function describeMark(noun: string, mark: ChosenMark | null): string {
  return mark?.look.kind === "text" ? `${noun} «\u00a0${mark.look.text}\u00a0»` : noun;
}
