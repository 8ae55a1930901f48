import { describe, expect, test } from "vitest";
import { profileRequest } from "./account.ts";
import { recipientRequest, titleSchema } from "./envelope.ts";
import { titleOfFile, wordsFault } from "./person-rules.ts";
import { renameTemplateRequest, saveLayoutRequest, useTemplateRequest } from "./template.ts";

const HONEST = [
  "Contrat de location – 12 rue des Lilas, 75012 Paris",
  "contrat.pdf",
  "contrat-v1.2.pdf",
  "Bail_commercial.final.docx",
  "Avenant n° 2.1",
  "Avenant n°3 au CDI de Mme Œuvrard-d’Été",
  "Société S.A.R.L. Dupont & Fils",
  "S.A.S.U. L’Atelier : statuts",
  "Facture 12.50 €",
  "Devis 1.250,00 € TTC",
  "Note v1.2",
  "Version 2.0.1-b",
  "Loi n° 2016-1321, art. 3.2",
  "Art. L.122-1 du code du travail",
  "État des lieux du 12.03.2026",
  "Convention J.-P. Martin / Ville d’Évry",
  "Mandat de J.R.R. Tolkien",
  "M. Durand, c.-à-d. le bailleur",
  "Marge > 10 % et < 15 %",
  "Prêt <= 5 000 €",
  "Objet:Contrat",
  "Réf:2024-12/B",
  "Rendez-vous à 14:30",
  "Essai ΔT à 5 µm, 3 Ω",
  "Dosage TNFα",
  "Bon pour accord…",
  "Devis et/ou facture",
  "R.A.S.",
  "Договор аренды",
  "Συμφωνητικό",
  "Işık Yıldız – iş sözleşmesi",
  "Nguyễn Thị Ánh",
  "@ l’attention de Paul",
];

const HOSTILE = [
  "https://evil.example cliquez",
  "Cliquez sur http://evil.example/x",
  "HTTPS://EVIL.EXAMPLE",
  "hxxp://evil.example",
  "ftp://evil.example",
  "http:/evil",
  "//evil.example/x",
  "www.evil",
  "WWW. evil",
  "evil.example",
  "Gagnez 500 € sur evil.example/gain",
  "paraphe-securite.fr",
  "signer.paraphe.fr.evil.xyz",
  "contrat.zip",
  "evil.example/contrat.pdf",
  "evil.com?x=contrat.pdf",
  "contact@evil.example",
  "mailto:moi",
  "tel:0612345678",
  "javascript:alert(1)",
  "192.0.2.1",
  "Ouvrez 192.0.2.1/x",
  "evil。example",
  "evil．example",
  "evil｡example",
  "evil․example",
  "evil.\u200bexample",
  "ev\u00adil.exa\u200dmple",
  "évil.exémple",
  "пример.рф",
  "xn--e1afmkfd.xn--p1ai",
  "[cliquez](evil.example)",
  "<b>Urgent</b>",
  "< a href=x>",
  "</td><img src=x>",
  "<!-- x",
  "Pаraphe",
  "Ρaraphe",
  "Sécurité Pаrаphe",
  "Cаmille Durand",
];

const NAMED: readonly (readonly [
  string,
  (text: string) => {
    success: boolean;
    error?: { issues: readonly { message: string }[] } | undefined;
  },
])[] = [
  ["a title", (text) => titleSchema.safeParse(text)],
  ["a recipient", (text) => recipientRequest.shape.full_name.safeParse(text)],
  [
    "somebody of a template",
    (text) =>
      useTemplateRequest.shape.people.safeParse([
        { role_index: 0, email: "a@exemple.fr", full_name: text },
      ]),
  ],
  ["a template", (text) => renameTemplateRequest.shape.name.safeParse(text)],
  ["a layout", (text) => saveLayoutRequest.shape.name.safeParse(text)],
  ["an account", (text) => profileRequest.shape.last_name.safeParse(text)],
];

describe.each(NAMED)("%s", (what, read) => {
  test.each(HOSTILE)("refuses an address, mark-up or look-alike: %j", (text) => {
    const answer = read(text);
    expect([answer.success, answer.error?.issues.length]).toEqual([false, 1]);
    expect(answer.error?.issues[0]?.message).toMatch(
      /^(Un (titre|nom) ne peut pas|Caractères non autorisés dans un (titre|nom)$)/,
    );
  });

  // Accounts refuse angle brackets.
  test.each(HONEST.filter((text) => what !== "an account" || !/[<>]/.test(text)))(
    "is taken as it is written: %j",
    (text) => {
      expect(read(text).error?.issues).toBe(undefined);
    },
  );
});

test("explains each fault with its remedy", () => {
  expect(wordsFault("evil.example", "titre")).toBe(
    "Un titre ne peut pas contenir d’adresse de site. Laissez une espace après chaque point.",
  );
  expect(wordsFault("Pаraphe", "nom")).toBe(
    "Un nom ne peut pas mêler deux alphabets dans un mot. Retapez ce mot.",
  );
  expect(wordsFault("<b>", "titre")).toBe("Caractères non autorisés dans un titre");
  expect(wordsFault("Voir www.evil.example", "titre")).toBe(
    "Un titre ne peut pas contenir de lien.",
  );
});

test.each([
  ["contrat.pdf", "contrat"],
  ["contrat-v1.2.PDF", "contrat-v1.2"],
  ["bail.final.pdf", "bail final"],
  ["https://evil.example/x.pdf", "https evil example x"],
  ["evil。example.pdf", "evil example"],
  ["<b>bail</b>.pdf", "b>bail b>"],
  ["Pаraphe.pdf", "Document"],
  ["www.evil.pdf", "www evil"],
  [".pdf", "Document"],
])("derives from the file %j the valid title %j", (file, title) => {
  expect(titleOfFile(file)).toBe(title);
  expect(titleSchema.parse(title)).toBe(title);
});
