import { describe, expect, it } from "vitest";
import { draftOf } from "../draft/draft.ts";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "../testing/make-envelope.ts";
import { checkBeforeSending } from "./send-check.ts";

const NOW = new Date("2026-11-21T10:00:00Z");
const check = (part: Parameters<typeof makeEnvelope>[0]) => {
  const envelope = makeEnvelope(part);
  return checkBeforeSending(draftOf(envelope), envelope.documents, NOW);
};

describe("the check list before sending", () => {
  it("the check list of a complete envelope is empty", () => {
    expect(check({ recipients: [makeRecipient()], fields: [makeField()] })).toEqual([]);
  });
  it("a signer without any field is named", () => {
    expect(check({ recipients: [makeRecipient()] })).toEqual([
      {
        kind: "blocking",
        text: "Camille Roux n’a aucun champ à signer.",
        step: "fields",
        recipient: "r1",
      },
    ]);
  });
  it("more than a hundred recipients stop the sending", () => {
    const crowd = Array.from({ length: 101 }, (_, index) =>
      makeRecipient({ id: `r${index}`, email: `p${index}@exemple.fr`, role: "approver" }),
    );
    const texts = (recipients: typeof crowd) =>
      check({ recipients }).map((finding) => finding.text);
    expect(texts(crowd)).toContain("100 destinataires au maximum.");
    expect(texts(crowd.slice(1))).not.toContain("100 destinataires au maximum.");
  });
  it("a signer with other fields is named for the missing signature", () => {
    expect(
      check({ recipients: [makeRecipient()], fields: [makeField({ type: "name" })] }).map(
        (finding) => finding.text,
      ),
    ).toEqual(["Camille Roux n’a pas de champ Signature."]);
  });
  it("a mention without its sentence stops the sending", () => {
    const withMention = (value: string | null) => [
      makeField(),
      makeField({ id: "f2", type: "mention", y: 0.2, page: 2, value }),
    ];
    for (const blank of [" ", "\u200b"])
      expect(check({ recipients: [makeRecipient()], fields: withMention(blank) })).toEqual([
        expect.objectContaining({
          kind: "blocking",
          text: "Écrivez la phrase de la mention à recopier (page 2).",
          step: "fields",
        }),
      ]);
    expect(check({ recipients: [makeRecipient()], fields: withMention("Lu et approuvé") })).toEqual(
      [],
    );
  });
  it("a finding names its file among several, and its field", () => {
    const documents = [
      makeDocument(),
      makeDocument({ id: "d2", name: "annexe.pdf", sha256: "1".repeat(64) }),
    ];
    const mention = (id: string, document_id: string) =>
      makeField({ id, document_id, type: "mention", y: 0.2, page: 2 });
    const twins = [
      makeField({ id: "f4", document_id: "d2", y: 0.8 }),
      makeField({ id: "f5", document_id: "d2", type: "date", y: 0.8 }),
    ];
    const fields = [makeField(), mention("f2", "d2"), mention("f3", "d1"), ...twins];
    const findings = check({ documents, recipients: [makeRecipient()], fields });
    expect(findings.map(({ text, field }) => [text, field?.key])).toEqual([
      ["Écrivez la phrase de la mention à recopier (contrat.pdf, page 2).", "f3"],
      ["Écrivez la phrase de la mention à recopier (annexe.pdf, page 2).", "f2"],
      ["Des champs se chevauchent (annexe.pdf, page 1).", "f4"],
    ]);
  });
  it("approvers and viewers need no field, but one signer is required", () => {
    const approver = makeRecipient({
      id: "r2",
      role: "approver",
      full_name: "Paul Roux",
      email: "paul@exemple.fr",
    });
    expect(check({ recipients: [makeRecipient(), approver], fields: [makeField()] })).toEqual([]);
    for (const role of ["approver", "viewer"] as const)
      expect(check({ recipients: [makeRecipient({ role })] })).toEqual([
        { kind: "blocking", text: "Ajoutez au moins un signataire.", step: "recipients" },
      ]);
  });
  it("identical files are counted, and the first ones named", () => {
    const documents = Array.from({ length: 17 }, (_, index) =>
      makeDocument({ id: `d${index}`, name: `${index + 1}.pdf` }),
    );
    const said = check({ documents, recipients: [makeRecipient()] }).map((finding) => finding.text);
    expect(said).toContain("17 fichiers identiques\u00a0: 1.pdf, 2.pdf, 3.pdf et 14 autres.");
  });
  it("files with the same bytes are warned of, whatever their names", () => {
    const documents = [
      makeDocument(),
      makeDocument({ id: "d2", name: "copie.pdf" }),
      makeDocument({ id: "d3", sha256: "1".repeat(64) }),
    ];
    expect(check({ documents, recipients: [makeRecipient()], fields: [makeField()] })).toEqual([
      {
        kind: "warning",
        text: "Deux fichiers identiques\u00a0: contrat.pdf, copie.pdf.",
        step: "documents",
      },
    ]);
  });
  it("a holiday deadline and a mistyped address are warnings only", () => {
    const deadline_at = "2027-05-01T21:59:59Z";
    const recipients = [makeRecipient({ email: "camille@gmial.com" })];
    expect(check({ deadline_at, recipients, fields: [makeField()] })).toEqual([
      { kind: "warning", text: "Échéance un jour férié (1er\u00a0mai)", step: "documents" },
      {
        kind: "warning",
        text: "camille@gmial.com\u00a0: vouliez-vous dire camille@gmail.com\u202f?",
        step: "recipients",
      },
    ]);
  });
  it("a missing title and a missing file use the specification's words", () => {
    const texts = check({
      title: " ",
      documents: [],
      recipients: [makeRecipient()],
      fields: [],
    }).map((finding) => finding.text);
    expect(texts).toEqual(expect.arrayContaining(["Titre requis", "Au moins un fichier"]));
  });
  it("a web address in the title stops the sending with the service's words", () => {
    const drawn = { documents: [makeDocument()], recipients: [makeRecipient()], fields: [] };
    expect(check({ title: "evil.example", ...drawn })).toContainEqual({
      kind: "blocking",
      text: "Un titre ne peut pas contenir d’adresse de site. Laissez une espace après chaque point.",
      step: "documents",
    });
  });
  it("a past deadline and a file without consent stop the sending", () => {
    const texts = check({
      deadline_at: "2026-11-20T22:59:59Z",
      documents: [makeDocument({ control: { result: "fixable", findings: [], accepted: false } })],
      recipients: [makeRecipient()],
      fields: [makeField()],
    }).map((finding) => finding.text);
    expect(texts).toEqual([
      "L'échéance doit être dans le futur",
      "«\u00a0contrat.pdf\u00a0» doit être corrigé avant l’envoi\u00a0: donnez votre accord.",
    ]);
  });
  it("overlapping fields and a shared address are warnings only", () => {
    const recipients = [makeRecipient(), makeRecipient({ id: "r2", full_name: "Paul Roux" })];
    const findings = check({
      recipients,
      fields: [makeField(), makeField({ id: "f2", recipient_id: "r2" })],
    });
    expect(findings.map((finding) => finding.kind)).toEqual(["warning", "warning"]);
    expect(findings[0]?.text).toBe("Des champs se chevauchent (page 1).");
  });
});
