import { smallPdf, stream } from "./small-pdf.ts";

/** A form as a French administration has it, and what is to fill in. */
export type FrenchForm = {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Kind and label of each field, by page and order. */
  readonly fields: readonly string[];
  /** Of its text tags. */
  readonly roles: readonly string[];
};

const FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";
const APPEARANCE = "/DA(/Helv 10 Tf 0 g)";
const FRAME = "/BC[0.4 0.4 0.4]/BG[0.96 0.98 1]";

type Box = readonly [left: number, bottom: number, right: number, top: number];
const widget = (type: string, box: Box, more = "", turned = "") =>
  `<</Type/Annot/Subtype/Widget/FT/${type}/F 4/P 3 0 R/Rect[${box.join(" ")}]/MK<<${turned}${FRAME}>>${APPEARANCE}${more}>>`;
const text = (name: string, label: string, box: Box, more = "") =>
  widget("Tx", box, `/T(${name})/TU(${label})${more}`);

/** A tick drawn as its form has it: two states, each a form. */
const TICKS: Readonly<Record<number, string>> = {
  40: stream("/Type/XObject/Subtype/Form/BBox[0 0 12 12]", "0.5 w 0.5 0.5 11 11 re S"),
  41: stream(
    "/Type/XObject/Subtype/Form/BBox[0 0 12 12]",
    "0.5 w 0.5 0.5 11 11 re S 1.5 w 2 6 m 5 2 l 10 10 l S",
  ),
};
const box = (name: string, label: string, at: Box, state = "Off") =>
  widget(
    "Btn",
    at,
    `/T(${name})/TU(${label})/AP<</N<</Off 40 0 R/Oui 41 0 R>>>>/AS/${state}/V/${state}`,
  );

type Page = {
  readonly lines?: readonly string[];
  readonly content?: string;
  readonly pageExtra?: string;
  readonly rotate?: number;
  readonly cropBox?: string;
  readonly catalogExtra?: string;
};

/** A page of lines with these widgets, from object 20 on, and other objects. */
function form(
  widgets: readonly string[],
  page: Page,
  {
    more = {},
    roots,
  }: { readonly more?: Readonly<Record<number, string>>; readonly roots?: readonly number[] } = {},
): Uint8Array {
  const lines = (page.lines ?? [])
    .map((line, row) => `BT /F1 11 Tf 50 ${780 - 34 * row} Td (${line}) Tj ET`)
    .join("\n");
  const numbers = widgets.map((_, index) => 20 + index);
  const list = (all: readonly number[]) => all.map((number) => `${number} 0 R`).join(" ");
  const hasForm = widgets.length > 0;
  return smallPdf({
    ...(page.rotate === undefined ? {} : { rotate: page.rotate }),
    ...(page.cropBox === undefined ? {} : { cropBox: page.cropBox }),
    catalogExtra: `${hasForm ? `/AcroForm<</Fields[${list(roots ?? numbers)}]/DR<</Font<</Helv 5 0 R>>>>/DA(/Helv 10 Tf 0 g)>>` : ""}${page.catalogExtra ?? ""}`,
    pageExtra: `${hasForm ? `/Annots[${list(numbers)}]` : ""}${page.pageExtra ?? ""}`,
    objects: {
      4: stream("", `${page.content ?? ""}\n${lines}`),
      5: FONT,
      ...Object.fromEntries(widgets.map((syntax, index) => [20 + index, syntax])),
      ...more,
    },
  });
}

const EMPTY = stream("/Type/XObject/Subtype/Form/BBox[0 0 180 50]", "");

const INVOICE = "<?xml version='1.0' encoding='UTF-8'?><rsm:CrossIndustryInvoice/>";

/** Ten forms, each of another make. */
export const FRENCH_FORMS: readonly FrenchForm[] = [
  {
    name: "Demande d’inscription",
    bytes: form(
      [
        text("demandeur.nom", "Nom de naissance", [180, 740, 400, 758], "/Ff 2"),
        text("demandeur.prenom", "Pr\\351noms", [180, 706, 400, 724], "/Ff 2"),
        text("adresse", "Adresse", [180, 640, 520, 690], "/Ff 4096"),
        text("dossier", "Num\\351ro de dossier", [180, 606, 400, 624], "/Ff 1"),
        text(
          "telephone",
          "T\\351l\\351phone",
          [180, 572, 400, 590],
          "/V(01 02 03 04 05)/AP<</N 42 0 R>>",
        ),
        widget("Sig", [330, 80, 510, 130], "/T(signature)/TU(Signature du demandeur)"),
      ],
      { lines: ["Demande d'inscription", "Nom", "Pr\\351noms", "Adresse"] },
      {
        more: {
          42: stream(
            "/Type/XObject/Subtype/Form/BBox[0 0 220 18]/Resources<</Font<</Helv 5 0 R>>>>",
            "/Tx BMC q BT /Helv 10 Tf 2 5 Td (01 02 03 04 05) Tj ET Q EMC",
          ),
        },
      },
    ),
    fields: [
      "text Nom de naissance",
      "text Prénoms",
      "text Adresse",
      "text Téléphone",
      "signature Signature du demandeur",
    ],
    roles: [],
  },
  {
    name: "Autorisation parentale",
    bytes: form(
      [
        box("sortie", "Autorise les sorties", [60, 742, 72, 754]),
        box("image", "Autorise le droit \\340 l'image", [60, 708, 72, 720], "Oui"),
        box("soins", "Autorise les soins", [60, 674, 72, 686]),
        widget("Sig", [330, 80, 510, 130], "/T(parent)/TU(Signature du parent)"),
      ],
      { lines: ["Autorisation parentale", "Sorties", "Image", "Soins"] },
      { more: TICKS },
    ),
    fields: [
      "checkbox Autorise les sorties",
      "checkbox Autorise le droit à l'image",
      "checkbox Autorise les soins",
      "signature Signature du parent",
    ],
    roles: [],
  },
  {
    name: "Déclaration de l’entreprise",
    bytes: form(
      [
        text("siret", "SIRET", [180, 740, 460, 760], "/Ff 16777216/MaxLen 14"),
        text("code_postal[0]", "Code postal", [180, 706, 280, 726], "/Ff 16777218/MaxLen 5"),
        widget(
          "Ch",
          [180, 672, 400, 690],
          "/T(forme)/TU(Forme juridique)/Ff 131072/Opt[(SARL)(SAS)(SCI)]",
        ),
        widget(
          "Sig",
          [330, 80, 510, 130],
          "/T(gerant)/TU(Signature du g\\351rant)/AP<</N 43 0 R>>",
        ),
      ],
      { lines: ["D\\351claration", "SIRET", "Code postal", "Forme juridique"] },
      { more: { 43: EMPTY } },
    ),
    fields: [
      "text SIRET",
      "text Code postal",
      "text Forme juridique",
      "signature Signature du gérant",
    ],
    roles: [],
  },
  {
    name: "Choix du régime",
    bytes: form(
      [
        widget(
          "Btn",
          [60, 742, 72, 754],
          "/Parent 30 0 R/AP<</N<</Off 40 0 R/Annuel 41 0 R>>>>/AS/Off",
        ),
        widget(
          "Btn",
          [60, 708, 72, 720],
          "/Parent 30 0 R/AP<</N<</Off 40 0 R/Mensuel 41 0 R>>>>/AS/Off",
        ),
        widget("Btn", [300, 600, 400, 620], "/T(imprimer)/Ff 65536"),
        widget("Sig", [330, 80, 510, 130], "/T(signature)/TU(Signature)"),
      ],
      { lines: ["R\\351gime de d\\351claration", "Annuel", "Mensuel"] },
      {
        more: { ...TICKS, 30: "<</FT/Btn/Ff 49152/T(regime)/TU(R\\351gime)/Kids[20 0 R 21 0 R]>>" },
        roots: [30, 22, 23],
      },
    ),
    fields: [
      "checkbox Régime\u00a0: Annuel",
      "checkbox Régime\u00a0: Mensuel",
      "signature Signature",
    ],
    roles: [],
  },
  {
    name: "Certificat de cession",
    bytes: form(
      [
        text("naissance", "Date de naissance", [180, 740, 300, 758], "/Ff 2"),
        text("date_signature", "Date de signature", [180, 706, 300, 724]),
        text("immatriculation", "Immatriculation", [180, 672, 300, 690]),
        widget("Sig", [330, 80, 510, 130], "/T(vendeur)/TU(Signature du vendeur)"),
      ],
      { lines: ["Certificat de cession", "N\\351 le", "Fait le", "Immatriculation"] },
    ),
    fields: [
      "text Date de naissance",
      "date Date de signature",
      "text Immatriculation",
      "signature Signature du vendeur",
    ],
    roles: [],
  },
  {
    name: "Convention à deux",
    bytes: form(
      [
        text("lieu", "Fait \\340", [180, 740, 400, 758]),
        widget("Sig", [50, 80, 230, 130], "/Parent 30 0 R/T(un)/TU(Signature du bailleur)"),
        widget("Sig", [330, 80, 510, 130], "/Parent 30 0 R/T(deux)/TU(Signature du locataire)"),
      ],
      { lines: ["Convention", "Fait \\340"] },
      { more: { 30: "<</T(parties)/Kids[21 0 R 22 0 R]>>" }, roots: [20, 30] },
    ),
    fields: ["text Fait à", "signature Signature du bailleur", "signature Signature du locataire"],
    roles: [],
  },
  {
    name: "Relevé tourné",
    bytes: form(
      [
        widget("Tx", [100, 200, 120, 420], "/T(releve)/TU(Relev\\351)", "/R 90"),
        widget("Sig", [400, 200, 450, 380], "/T(agent)/TU(Signature de l'agent)", "/R 90"),
      ],
      { lines: ["Relev\\351"], rotate: 90, cropBox: "30 40 560 800" },
    ),
    fields: ["text Relevé", "signature Signature de l'agent"],
    roles: [],
  },
  {
    name: "Formulaire bilingue",
    bytes: form(
      [
        text("form1[0].Page1[0].Full_name[0]", "", [180, 740, 400, 758]),
        widget("Tx", [180, 706, 300, 724], "/Parent 30 0 R"),
        widget("Tx", [330, 706, 450, 724], "/Parent 30 0 R"),
        box("consent", "Consentement / Consent", [60, 674, 72, 686]),
        widget("Sig", [330, 80, 510, 130], "/T(applicant)/TU(Signature / Signature)"),
      ],
      { lines: ["Demande / Application", "Nom / Name", "Passeport / Passport"] },
      {
        more: {
          ...TICKS,
          30: "<</FT/Tx/T(passport)/TU(Passeport / Passport)/Kids[21 0 R 22 0 R]>>",
        },
        roots: [20, 30, 23, 24],
      },
    ),
    fields: [
      "text Full name",
      "text Passeport / Passport",
      "text Passeport / Passport",
      "checkbox Consentement / Consent",
      "signature Signature / Signature",
    ],
    roles: [],
  },
  {
    name: "Contrat à balises",
    bytes: form([], {
      content: "0.9 0.95 0.85 rg 40 590 520 60 re f 0 g",
      lines: [
        "Contrat de prestation",
        "Le prestataire : {{signature:prestataire}}",
        "Le client : {{ signature : client }} et ses initiales {{paraphe:client}}",
        "Nom du client : {{texte:client:Nom complet}}, le {{date:client}}",
        "{{case:client:J'accepte les conditions}} J'accepte les conditions {{inconnu:client}}",
        "{{mention:client:Lu et approuv\\351}}",
      ],
    }),
    fields: [
      "signature ",
      "signature ",
      "initials ",
      "text Nom complet",
      "date ",
      "checkbox J'accepte les conditions",
      "mention ",
    ],
    roles: ["prestataire", "client"],
  },
  {
    name: "Facture à signer",
    bytes: form(
      [widget("Sig", [330, 80, 510, 130], "/T(bon)/TU(Bon pour accord)")],
      {
        lines: ["Facture F-2026-112", "Bon pour accord, {{date:1}}"],
        catalogExtra: "/AF[50 0 R]/Names<</EmbeddedFiles<</Names[(factur-x.xml)50 0 R]>>>>",
      },
      {
        more: {
          50: "<</Type/Filespec/F(factur-x.xml)/UF(factur-x.xml)/AFRelationship/Alternative/EF<</F 51 0 R>>>>",
          51: stream("/Type/EmbeddedFile/Subtype/text#2Fxml", INVOICE),
        },
      },
    ),
    fields: ["signature Bon pour accord", "date "],
    roles: ["1"],
  },
];
