import { describe, expect, it } from "vitest";
import { checkDraft, checkSize, type DraftToCheck } from "./draft-checks.ts";

const now = new Date("2026-11-21T10:00:00Z");
const draft = (rest: Partial<DraftToCheck> = {}): DraftToCheck => ({
  deadlineAt: null,
  pageCounts: [2],
  recipients: [{ emailKey: "paul@exemple.fr", fullName: "Paul Morel", role: "signer" }],
  fields: [],
  now,
  firstMissing: (text) => /[^\n-\u02ff]/u.exec(text)?.[0] ?? null,
  ...rest,
});
const errorsOf = (rest: Partial<DraftToCheck>) => {
  const result = checkDraft(draft(rest));
  return result.ok ? {} : result.error.errors;
};

describe("a draft", () => {
  it("may have no recipient, no field and no deadline yet", () => {
    expect(checkDraft(draft({ recipients: [] }))).toEqual({ ok: true, value: null });
  });

  it("needs a file", () => {
    expect(errorsOf({ pageCounts: [] })).toEqual({ files: ["Au moins un fichier"] });
  });

  it("has a deadline in the future and within two years", () => {
    expect(errorsOf({ deadlineAt: now })).toEqual({ deadline_at: ["L'échéance doit être dans le futur"] });
    expect(errorsOf({ deadlineAt: new Date("2028-11-21T10:00:00Z") })).toEqual({});
    expect(errorsOf({ deadlineAt: new Date("2028-11-21T10:00:01Z") })).toEqual({ deadline_at: ["L’échéance doit être dans les deux ans"] });
  });

  it("refuses the same person twice, not one address for two people", () => {
    const paul = { emailKey: "paul@exemple.fr", fullName: "Paul Morel", role: "signer" } as const;
    expect(errorsOf({ recipients: [paul, { ...paul, fullName: "PAUL MOREL" }] })).toEqual({
      "recipients.1.email": ["Cette personne figure déjà parmi les destinataires"],
    });
    expect(errorsOf({ recipients: [paul, { ...paul, fullName: "Jeanne Morel" }] })).toEqual({});
    expect(errorsOf({ recipients: [paul, { ...paul, emailKey: "p.morel@exemple.fr" }] })).toEqual({});
  });

  it("refuses a field without its document, page or person, and every fault at once", () => {
    const field = { documentIndex: 0, recipientIndex: 0, page: 1, type: "text", label: null, value: null } as const;
    expect(errorsOf({ fields: [field, { ...field, page: 3 }, { ...field, documentIndex: -1 }, { ...field, recipientIndex: 4 }] })).toEqual({
      "fields.1.page": ["Ce document n’a que 2 pages"],
      "fields.2.document_id": ["Ce document n’est pas dans l’enveloppe"],
      "fields.3.recipient_id": ["Ce destinataire n’est pas dans l’enveloppe"],
    });
  });

  it("gives a person in copy no field", () => {
    const viewer = { emailKey: "v@exemple.fr", fullName: "V", role: "viewer" } as const;
    expect(
      errorsOf({
        recipients: [viewer],
        fields: [{ documentIndex: 0, recipientIndex: 0, page: 1, type: "signature", label: null, value: null }],
      }),
    ).toEqual({
      "fields.0.recipient_id": ["Une personne en copie ne remplit aucun champ"],
    });
  });

  it("refuses a character that cannot be printed in a signer's name, a label or a value: sealing would never succeed", () => {
    const sentence = (character: string) => [
      `Le caractère « ${character} » ne peut pas être imprimé dans le document. Remplacez-le, puis réessayez.`,
    ];
    const person = (fullName: string, role: "signer" | "approver" | "viewer") => ({ emailKey: fullName, fullName, role });
    const field = { documentIndex: 0, recipientIndex: 0, page: 1, type: "text", label: "Fait à 京", value: "Merci 😀" } as const;
    expect(
      errorsOf({ recipients: [person("Léa 😀", "signer"), person("李雷", "approver"), person("محمد", "viewer")], fields: [field] }),
    ).toEqual({
      "recipients.0.full_name": sentence("😀"),
      "recipients.1.full_name": sentence("李"),
      "fields.0.label": sentence("京"),
      "fields.0.value": sentence("😀"),
    });
  });
});

describe("the weight of an envelope", () => {
  it("is at most 20 documents and 50 MB", () => {
    expect(checkSize(Array.from({ length: 20 }, () => 1))).toMatchObject({ ok: true });
    expect(checkSize(Array.from({ length: 21 }, () => 1))).toMatchObject({ error: { code: "envelope_too_large" } });
    expect(checkSize([50 * 1024 * 1024])).toMatchObject({ ok: true });
    expect(checkSize([50 * 1024 * 1024, 1])).toMatchObject({ error: { code: "envelope_too_large" } });
  });
});
