import type { ChosenMark } from "../../marks/chosen-mark.ts";
import type { SigningField } from "../field-walk.ts";

/** A required text field of the signer. */
export const sampleField = (id: string, part: Partial<SigningField> = {}): SigningField => ({
  id,
  document_id: "d1",
  recipient_id: "r1",
  type: "text",
  page: 1,
  x: 0.1,
  y: 0.1,
  width: 0.3,
  height: 0.05,
  required: true,
  label: null,
  value: null,
  own: true,
  ...part,
});

export const typedMark = (text = "Camille Roux"): ChosenMark => ({
  mark: { kind: "typed", text, font: "caveat" },
  look: { kind: "text", text, font: "caveat" },
});
