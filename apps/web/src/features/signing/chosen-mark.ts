import type { Hand, SignatureMark } from "@paraphe/contracts";
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
