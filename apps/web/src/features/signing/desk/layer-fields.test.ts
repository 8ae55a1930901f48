import { expect, it } from "vitest";
import type { SigningField } from "./field-walk.ts";
import { layerFields } from "./layer-fields.tsx";
import type { Desk, OpenedRequest } from "./use-desk.ts";
import { sampleField, typedMark } from "./testing/sample-field.ts";

const field = (id: string, part: Partial<SigningField>) =>
  sampleField(id, { document_id: "d", ...part });
const shown = (one: SigningField, desk: Partial<Desk>, currentId: string | null = null) => {
  const state = {
    errors: {},
    values: {},
    markOf: () => null,
    answers: { values: {}, marked: new Set<string>() },
    ...desk,
  };
  const request = { fields: [one] } as unknown as OpenedRequest;
  return layerFields({
    request,
    desk: state as unknown as Desk,
    documentId: "d",
    pageNumber: 1,
    currentId,
  })[0];
};

it("labels a handwritten name with its text", () => {
  const mark = typedMark();
  const answers = { values: {}, marked: new Set(["s"]) };
  expect(shown(field("s", { type: "signature" }), { markOf: () => mark, answers })?.name).toBe(
    "Signature, page 1, Camille Roux",
  );
});

it("labels an empty mark field with its action, and its title where that adds something", () => {
  const name = (type: SigningField["type"], label: string | null) =>
    shown(field("m", { type, label }), {})?.name.replaceAll("\u00a0", " ");
  expect(name("initials", null)).toBe("Parapher, page 1, à remplir");
  expect(name("initials", "Vos initiales")).toBe("Parapher : Vos initiales, page 1, à remplir");
  expect(name("signature", null)).toBe("Signer ici : Signature, page 1, à remplir");
});

it("shows the sender's words over the checkbox led to", () => {
  const labelled = field("b", { type: "checkbox", label: "J’accepte" });
  expect(shown(labelled, {}, "b")?.tag).toEqual({ text: "J’accepte", tone: "quiet" });
  expect(shown(labelled, {})?.tag).toBeUndefined();
  expect(shown(field("b", { type: "checkbox" }), {}, "b")?.tag).toBeUndefined();
});

it("labels what another signer has filled or is still to fill", () => {
  const other = (type: SigningField["type"], part: Partial<SigningField> = {}) => {
    const layer = shown(field("o", { type, own: false, filled_by: "Paul Morel", ...part }), {});
    return [layer?.state, layer?.name.replaceAll("\u00a0", " ")];
  };
  expect(other("text", { label: "Fait à", value: "Lyon, le chêne" })).toEqual([
    "filled",
    "Fait à : Lyon, le chêne (rempli par Paul Morel)",
  ]);
  expect(other("mention")).toEqual(["filled", "Mention manuscrite (laissé vide par Paul Morel)"]);
  expect(other("signature")).toEqual(["filled", "Signature (signé par Paul Morel)"]);
  expect(other("initials")).toEqual(["filled", "Paraphe (paraphé par Paul Morel)"]);
  expect(other("initials", { value: "Non" })).toEqual([
    "filled",
    "Paraphe (laissé vide par Paul Morel)",
  ]);
  expect(other("checkbox", { label: "Animaux", value: "Oui" })).toEqual([
    "filled",
    "Animaux : coché (par Paul Morel)",
  ]);
  expect(other("checkbox", { value: "Non" })).toEqual([
    "filled",
    "Case à cocher : non coché (par Paul Morel)",
  ]);
  expect(other("text", { filled_by: undefined })).toEqual([
    "other",
    "Texte, réservé à un autre signataire",
  ]);
});

it("shows why a field was refused, over it and in its label", () => {
  const refused = shown(field("t", { label: "Fait à" }), {
    errors: { t: "Le caractère « 😀 » ne peut pas être imprimé." },
  });
  expect(refused?.tag).toEqual({
    text: "Le caractère « 😀 » ne peut pas être imprimé.",
    tone: "danger",
  });
  expect([refused?.state, refused?.name]).toEqual([
    "invalid",
    "Fait à, page 1, Le caractère « 😀 » ne peut pas être imprimé.",
  ]);
});
