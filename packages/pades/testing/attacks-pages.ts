import {
  type Attack,
  type AttackStage,
  STAGE_LATER,
  sealed,
  swap,
  type Attacks,
} from "./attack-stage.ts";
import { withField, widget } from "./attacks-form.ts";
import { forgedRevision } from "./forge.ts";
import { signFreely } from "./sign-freely.ts";
import { type SmallPdfOptions, smallPdf, stream, type Objects } from "./small-pdf.ts";

const form = (words: string): string =>
  stream(
    "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>",
    `BT /F1 24 Tf 72 600 Td (${words}) Tj ET`,
  );
const font = (more = ""): string => `<</Type/Font/Subtype/Type1/BaseFont/Helvetica${more}>>`;
const page = (entries: string): string =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]${entries}>>`;

const signed = (stage: AttackStage, file: SmallPdfOptions): Promise<Uint8Array> =>
  signFreely(smallPdf(file), {
    cms: (covered) => sealed({ signer: stage.alice, tsa: stage.pki.tsa }, covered),
  });

/** The first page's resources are the second page. */
const borrowing = (
  resources: string,
  content: string,
  lent: string,
  objects: Objects,
): SmallPdfOptions => ({
  objects: {
    2: "<</Type/Pages/Kids[3 0 R 13 0 R]/Count 2>>",
    3: page(`/Contents 6 0 R/Resources<<${resources}>>`),
    6: stream("", content),
    13: page(`/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>${lent}`),
    ...objects,
  },
});
const altered =
  (file: SmallPdfOptions, change: Objects): Attack =>
  async (stage) =>
    forgedRevision(await signed(stage, file), { objects: change });

const PICTURE = borrowing("/Font<</F1 5 0 R>>/XObject 13 0 R", "/Annots Do", "/Annots 50 0 R", {
  50: form("850 EUR"),
});
const LETTERS = borrowing(
  "/Font 13 0 R",
  "BT /Annots 24 Tf 72 700 Td (100) Tj ET",
  "/Annots 50 0 R",
  { 50: font() },
);
const STATE = borrowing("/ExtGState 13 0 R", "q /Annots gs BT /F1 9 Tf ET Q", "/Annots 50 0 R", {
  50: "<</CA 1/ca 1>>",
});
/** The second page is also the states of a button. */
const BUTTON: SmallPdfOptions = {
  catalogExtra: "/AcroForm<</Fields[20 0 R]>>",
  pageExtra: "/Annots[20 0 R]",
  objects: {
    2: "<</Type/Pages/Kids[3 0 R 13 0 R]/Count 2>>",
    13: page("/Contents 4 0 R/Annots 50 0 R"),
    20: "<</Type/Annot/Subtype/Widget/FT/Btn/T(b)/Rect[10 10 300 300]/F 4/P 3 0 R/AS/Annots/AP<</N 13 0 R/D 13 0 R>>>>",
    50: form("850 EUR"),
  },
};

/** A page is excused only where it is a page. */
export const PAGE_ATTACKS: Attacks = {
  "page as a dictionary of forms": altered(PICTURE, { 50: form("9000 EUR") }),
  "page as a dictionary of forms, the entry itself": altered(PICTURE, {
    13: swap(PICTURE.objects?.[13] ?? "", "/Annots 50 0 R", "/Annots 51 0 R"),
    51: form("9000 EUR"),
  }),
  "page as a dictionary of fonts": altered(LETTERS, {
    50: font("/Encoding<</Differences[48/nine/nine]>>"),
  }),
  "page as a dictionary of graphics states": altered(STATE, { 50: "<</CA 0/ca 0>>" }),
  "page as a dictionary of forms, and in a set of captured pages": altered(
    {
      ...PICTURE,
      catalogExtra: "/Names<</IDS<</Names[(id) 60 0 R]>>>>",
      objects: { ...PICTURE.objects, 60: "<</S/SPS/ID(id)/O[13 0 R]>>" },
    },
    { 50: form("9000 EUR") },
  ),
  "page of a set of captured pages, and another": altered(
    {
      ...PICTURE,
      catalogExtra: "/Names<</IDS<</Names[(id) 60 0 R]>>>>",
      objects: { ...PICTURE.objects, 60: "<</S/SPS/ID(id)/O[13 0 R]>>" },
    },
    { 60: "<</S/SPS/ID(id)/O[3 0 R]>>" },
  ),
  "page as a button's looks": altered(BUTTON, { 50: form("9000 EUR") }),
};

/** Destinations of every kind that lead to the page of a later signature. */
const LED: SmallPdfOptions = {
  catalogExtra:
    "/OpenAction[3 0 R/Fit]/Dests 30 0 R/Names<</Dests 31 0 R/Pages 34 0 R/IDS 37 0 R>>/Outlines 32 0 R/StructTreeRoot 35 0 R",
  pageExtra: "/Annots[36 0 R]",
  objects: {
    30: "<</debut[3 0 R/XYZ 0 0 0]/fin<</D[3 0 R/FitH 9]>>>>",
    31: "<</Names[(a)[3 0 R/Fit](b)<</D[3 0 R/FitB]>>]>>",
    32: "<</Type/Outlines/First 33 0 R/Last 33 0 R/Count 1>>",
    33: "<</Title(a)/Parent 32 0 R/Dest[3 0 R/Fit]>>",
    34: "<</Names[(modele) 3 0 R]>>",
    35: "<</Type/StructTreeRoot/K<</Type/StructElem/S/P/P 35 0 R/Pg 3 0 R/K 0>>>>",
    37: "<</Names[(id)<</S/SPS/ID(id)/O[3 0 R]>>]>>",
    36: "<</Type/Annot/Subtype/Link/Rect[9 9 99 99]/Border[0 0 0]/P 3 0 R/A<</S/GoTo/D[3 0 R/Fit]>>>>",
  },
};

export const HONEST_PAGES: Attacks = {
  "places of a page that a further signer signs on": async (stage) => {
    const first = await signed(stage, LED);
    return signFreely(first, {
      fieldName: "bob",
      rect: "50 50 250 110",
      cms: (covered) => sealed({ signer: stage.bob, tsa: stage.pki.tsaAt(STAGE_LATER) }, covered),
    });
  },
  "a further field on a page that many things lead to": async (stage) => {
    const bytes = await signed(stage, LED);
    return forgedRevision(bytes, { objects: withField(bytes, widget("/Rect[50 50 250 110]")) });
  },
};
