import type { FieldType } from "@paraphe/contracts";
import { describe, expect, it } from "vitest";
import { checkFieldValues, type OwnField } from "./check-field-values.ts";

const field = (type: FieldType, rest: Partial<OwnField> = {}): OwnField => ({ id: type, type, required: false, value: null, ...rest });
const filling = {
  signerName: "Éloïse  Roux",
  today: "2026-11-21",
  firstMissing: (text: string) => /[^\n-\u02ff]/u.exec(text)?.[0] ?? null,
};
const check = (own: OwnField[], values: Record<string, string | null>) =>
  checkFieldValues({
    ...filling,
    own,
    submitted: Object.entries(values).map(([id, value]) => ({ id, value })),
  });
const printed = (own: OwnField, value: string | null) => {
  const result = check([own], { [own.id]: value });
  return result.ok ? result.value[0]?.value : (Object.values(result.error.errors ?? {})[0]?.[0] ?? result.error.code);
};

describe("the values of a signer's fields", () => {
  it("are all kept, blanks too, without the fields that take the mark", () => {
    expect(check([field("signature", { required: true }), field("text"), field("name"), field("initials")], {})).toEqual({
      ok: true,
      value: [
        { id: "text", value: null },
        { id: "name", value: "Éloïse Roux" },
      ],
    });
  });

  it("start from what the sender prepared, and may be emptied", () => {
    expect(check([field("text", { value: "prévu" })], {})).toMatchObject({ value: [{ value: "prévu" }] });
    expect(check([field("text", { value: "prévu" })], { text: null })).toMatchObject({ value: [{ value: null }] });
  });

  it("refuse a required blank, an unchecked required box included", () => {
    for (const type of ["text", "checkbox"] as const) {
      expect(check([field(type, { required: true })], { [type]: type === "checkbox" ? "Non" : "  " })).toMatchObject({
        ok: false,
        error: { code: "field_required", errors: { [`fields.${type}`]: ["Champ obligatoire"] } },
      });
    }
    expect(printed(field("checkbox", { required: true }), "Oui")).toBe("Oui");
  });

  it("fill the date with the day of the signature and the name with the signer's, whatever is posted", () => {
    for (const posted of ["01/01/1999", "Jean Valjean", "demain 😀", null]) {
      expect(printed(field("date", { required: true }), posted)).toBe("21/11/2026");
      expect(printed(field("name", { required: true }), posted)).toBe("Éloïse Roux");
    }
    expect(check([field("date", { required: true }), field("name", { required: true })], {})).toMatchObject({
      value: [{ value: "21/11/2026" }, { value: "Éloïse Roux" }],
    });
  });

  it("print the name that the sender wrote in advance, and never a date of the sender's", () => {
    expect(printed(field("name", { value: "  Zoe\u0308\n Ouvrard " }), "Jean Valjean")).toBe("Zoë Ouvrard");
    expect(printed(field("date", { value: "01/01/1999" }), null)).toBe("21/11/2026");
  });

  it("take Oui or Non for a box, true and false too, blank being Non", () => {
    expect(printed(field("checkbox"), null)).toBe("Non");
    expect(printed(field("checkbox"), "true")).toBe("Oui");
    expect(printed(field("checkbox"), "false")).toBe("Non");
    expect(printed(field("checkbox"), "on")).toBe("Répondez par Oui ou Non.");
    expect(check([field("checkbox", { required: true })], { checkbox: "false" })).toMatchObject({ error: { code: "field_required" } });
  });

  it("refuse a character that cannot be printed, on each field that has one", () => {
    expect(
      check([field("text"), field("text", { id: "other" }), field("text", { id: "sound" })], { text: "Merci 😀", other: "李" }),
    ).toEqual({
      ok: false,
      error: {
        code: "unsupported_character",
        params: { character: "😀" },
        errors: {
          "fields.text": ["Le caractère « 😀 » ne peut pas être imprimé dans le document. Remplacez-le, puis réessayez."],
          "fields.other": ["Le caractère « 李 » ne peut pas être imprimé dans le document. Remplacez-le, puis réessayez."],
        },
      },
    });
  });

  it("take a mention once it is the sender's sentence, letter by letter, and print what was typed", () => {
    const mention = field("mention", { required: true, value: "Lu et approuvé, bon pour l’accord" });
    expect(printed(mention, " Lu et approuvé,\n bon pour l'accord ")).toBe("Lu et approuvé, bon pour l'accord");
    expect(printed(mention, "Lu et approuve, bon pour l'accord")).toBe(
      "Attention aux accents\u00a0: écrivez «\u00a0approuvé,\u00a0», et non «\u00a0approuve,\u00a0».",
    );
    for (const short of ["Lu", "Lu et approuvé, bon pour l'accor"])
      expect(check([mention], { mention: short })).toMatchObject({ ok: false, error: { code: "mention_differs" } });
  });

  it.each(["\u00ad", "\u200b", "\u200d", "\ufeff", "\u2060"])("take a mention whatever its %j, which is not kept", (hidden) => {
    const mention = field("mention", { required: true, value: `Lu${hidden} et appr${hidden}ouvé` });
    expect(printed(mention, "Lu et approuvé")).toBe("Lu et approuvé");
    expect(printed(mention, `${hidden} Lu et${hidden} approuvé${hidden}`)).toBe("Lu et approuvé");
    expect(check([mention], { mention: hidden })).toMatchObject({ error: { code: "field_required" } });
    expect(check([{ ...mention, required: false }], { mention: ` ${hidden}` })).toMatchObject({ ok: true, value: [{ value: null }] });
    const text = field("text", { required: true });
    expect(check([text], { text: hidden })).toMatchObject({ error: { code: "field_required" } });
  });

  it("never take the sender's sentence for a copy of it: a mention not typed is blank", () => {
    const mention = field("mention", { value: "Lu et approuvé" });
    expect(check([mention], {})).toMatchObject({ value: [{ value: null }] });
    expect(check([{ ...mention, required: true }], {})).toMatchObject({ error: { code: "field_required" } });
    expect(check([{ ...mention, required: true }], { mention: "  " })).toMatchObject({ error: { code: "field_required" } });
    expect(check([mention], { mention: "Lu" })).toMatchObject({ error: { code: "mention_differs" } });
  });

  it("leave optional initials blank when their signer says so, never required ones nor a signature", () => {
    expect(check([field("initials")], { initials: "Non" })).toMatchObject({ value: [{ id: "initials", value: "Non" }] });
    expect(check([field("initials", { required: true })], { initials: "Non" })).toMatchObject({ error: { code: "field_required" } });
    expect(printed(field("initials"), "Oui")).toBe("Ce champ reçoit votre signature, pas un texte.");
    expect(printed(field("signature"), "Non")).toBe("Ce champ reçoit votre signature, pas un texte.");
  });

  it("refuse a text in a signature field", () => {
    expect(printed(field("signature"), "Paul")).toBe("Ce champ reçoit votre signature, pas un texte.");
  });

  it("refuse somebody else's field, and a field given twice", () => {
    expect(check([field("text")], { name: "x" })).toMatchObject({
      ok: false,
      error: { code: "validation", errors: { fields: ["Ce champ ne vous appartient pas."] } },
    });
    expect(
      checkFieldValues({
        ...filling,
        own: [field("text")],
        submitted: [
          { id: "text", value: "a" },
          { id: "text", value: "b" },
        ],
      }),
    ).toMatchObject({ ok: false, error: { code: "validation" } });
  });
});
