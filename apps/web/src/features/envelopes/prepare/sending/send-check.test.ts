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
  it("is empty for a complete envelope", () => {
    expect(check({ recipients: [makeRecipient()], fields: [makeField()] })).toEqual([]);
  });
  it("names the signer who has nothing to sign", () => {
    expect(check({ recipients: [makeRecipient()] })).toEqual([
      {
        kind: "blocking",
        text: "Camille Roux n’a aucun champ à signer.",
        step: "fields",
        recipient: "r1",
      },
    ]);
  });
  it("stops at more recipients than an envelope takes", () => {
    const crowd = Array.from({ length: 101 }, (_, index) =>
      makeRecipient({ id: `r${index}`, email: `p${index}@exemple.fr`, role: "approver" }),
    );
    const texts = (recipients: typeof crowd) =>
      check({ recipients }).map((finding) => finding.text);
    expect(texts(crowd)).toContain("100 destinataires au maximum.");
    expect(texts(crowd.slice(1))).not.toContain("100 destinataires au maximum.");
  });
  it("says that the signature is missing when the signer has other fields", () => {
    expect(
      check({ recipients: [makeRecipient()], fields: [makeField({ type: "name" })] }).map(
        (finding) => finding.text,
      ),
    ).toEqual(["Camille Roux n’a pas de champ Signature."]);
  });
  it("asks for the sentence of a mention to copy", () => {
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
  it("names the file among several, and the field to put right", () => {
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
  it("asks nothing of an approver nor of a copy, but asks for a signer", () => {
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
  it("says how many files are the same, and names the first ones", () => {
    const documents = Array.from({ length: 17 }, (_, index) =>
      makeDocument({ id: `d${index}`, name: `${index + 1}.pdf` }),
    );
    const said = check({ documents, recipients: [makeRecipient()] }).map((finding) => finding.text);
    expect(said).toContain("17 fichiers identiques\u00a0: 1.pdf, 2.pdf, 3.pdf et 14 autres.");
  });
  it("warns of files whose bytes are the same, whatever their names", () => {
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
  it("warns of a deadline on which nobody is at work, and of a mistyped address: neither stops the sending", () => {
    const deadline_at = "2027-05-01T21:59:59Z";
    const recipients = [makeRecipient({ email: "camille@gmial.com" })];
    expect(check({ deadline_at, recipients, fields: [makeField()] })).toEqual([
      { kind: "warning", text: "Échéance un jour férié (1er mai)", step: "documents" },
      {
        kind: "warning",
        text: "camille@gmial.com\u00a0: vouliez-vous dire camille@gmail.com\u202f?",
        step: "recipients",
      },
    ]);
  });
  it("says the specification's words for a missing title and a missing file", () => {
    const texts = check({
      title: " ",
      documents: [],
      recipients: [makeRecipient()],
      fields: [],
    }).map((finding) => finding.text);
    expect(texts).toEqual(expect.arrayContaining(["Titre requis", "Au moins un fichier"]));
  });
  it("stops at the address of a site in the title, with the service's words", () => {
    const drawn = { documents: [makeDocument()], recipients: [makeRecipient()], fields: [] };
    expect(check({ title: "evil.example", ...drawn })).toContainEqual({
      kind: "blocking",
      text: "Un titre ne peut pas contenir d’adresse de site. Laissez une espace après chaque point.",
      step: "documents",
    });
  });
  it("stops at a deadline in the past and at a file that awaits its sender's accord", () => {
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
  it("only warns of fields that overlap and of one address for two people", () => {
    const recipients = [makeRecipient(), makeRecipient({ id: "r2", full_name: "Paul Roux" })];
    const findings = check({
      recipients,
      fields: [makeField(), makeField({ id: "f2", recipient_id: "r2" })],
    });
    expect(findings.map((finding) => finding.kind)).toEqual(["warning", "warning"]);
    expect(findings[0]?.text).toBe("Des champs se chevauchent (page 1).");
  });
});
