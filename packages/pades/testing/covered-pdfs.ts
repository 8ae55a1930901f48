import { smallPdf, stream } from "./small-pdf.ts";

const FONT = "/Resources<</Font<</F1 5 0 R>>>>";
const text = (y: number, words: string): string => `BT /F1 18 Tf 72 ${y} Td (${words}) Tj ET`;

/** A page with a shown and a hidden layer: marked content, form, image, membership, annotation. */
export function layeredPdf(): Uint8Array {
  const content = [
    text(760, "toujours \u0080 \u0092 \u00e9"),
    `/OC /Shown BDC ${text(720, "visible")} EMC`,
    // What hidden content sets goes on: position, colour, rendering mode.
    `q BT /F1 18 Tf 72 680 Td (avant) Tj /OC /Gone BDC 0 -30 Td 1 0 0 rg (cach\\)\u0080\u0095e) Tj EMC 0 -30 Td (apres) Tj ET Q`,
    `/OC /Gone BDC q 0 0 1 rg 60 500 200 60 re f 1 Tr Q BI /W 1 /H 1 /CS /G /BPC 8 ID x EI /Form Do EMC`,
    `q 1 0 0 1 0 -100 cm /Form Do Q /Ghost Do`,
    `/OC /Either BDC ${text(420, "l un ou l autre")} EMC /OC /Both BDC ${text(390, "l un et l autre")} EMC`,
    `/OC /Not BDC ${text(360, "pas cache")} EMC`,
    `0 Tr ${text(330, "fin")}`,
  ].join("\n");
  return smallPdf({
    catalogExtra:
      "/OCProperties<</OCGs[20 0 R 21 0 R 26 0 R]/D<</OFF[21 0 R]/AS[<</Event/View/OCGs[26 0 R]/Category[/View]>>]>>>>",
    objects: {
      3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</Form 24 0 R/Ghost 25 0 R>>/Properties<</Shown 20 0 R/Gone 21 0 R/Either 22 0 R/Both 23 0 R/Not 27 0 R>>>>/Annots[28 0 R]>>",
      4: stream("", content),
      20: "<</Type/OCG/Name(Visible)>>",
      21: "<</Type/OCG/Name(Cache)>>",
      22: "<</Type/OCMD/OCGs[20 0 R 21 0 R]>>",
      23: "<</Type/OCMD/OCGs[20 0 R 21 0 R]/P/AllOn>>",
      24: stream(
        `/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Properties<</Gone 21 0 R>>/Font<</F1 5 0 R>>>>`,
        `${text(560, "forme")} /OC /Gone BDC ${text(590, "cachee")} EMC`,
      ),
      25: stream(
        `/Type/XObject/Subtype/Form/BBox[0 0 595 842]/OC 21 0 R${FONT}`,
        text(460, "fantome"),
      ),
      26: "<</Type/OCG/Name(Ecran)/Usage<</View<</ViewState/ON>>>>>>",
      27: "<</Type/OCMD/VE[/And[/Not 21 0 R][/Or 20 0 R 21 0 R]]>>",
      28: "<</Type/Annot/Subtype/Square/Rect[300 700 400 750]/OC 21 0 R/AP<</N 29 0 R>>>>",
      29: stream("/Type/XObject/Subtype/Form/BBox[0 0 10 10]", "1 0 0 rg 0 0 10 10 re f"),
    },
  });
}

/**
 * A turned page with annotations: shown, hidden, turned, with states, inherited resources; a link
 * and a popup.
 */
export function annotatedPdf(): Uint8Array {
  const note = (rest: string): string => `<</Type/Annot/Rect[70 690 270 740]${rest}>>`;
  return smallPdf({
    rotate: 90,
    objects: {
      2: `<</Type/Pages/Kids[3 0 R]/Count 1${FONT}>>`,
      3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Rotate 90/Contents[4 0 R 12 0 R]/Annots[20 0 R 21 0 R 22 0 R 23 0 R 24 0 R 25 0 R]>>",
      // An open state and a moved origin must not affect what is drawn on top.
      12: stream("", "q 0.5 0 0 0.5 100 100 cm"),
      20: note("/Subtype/Stamp/F 4/AP<</N 30 0 R>>"),
      21: note("/Subtype/FreeText/F 2/AP<</N 31 0 R>>"),
      22: "<</Type/Annot/Subtype/Square/Rect[300 300 420 380]/F 4/AS/On/AP<</N<</On 32 0 R/Off 31 0 R>>>>>>",
      23: "<</Type/Annot/Subtype/Link/Rect[0 0 50 50]/Border[0 0 0]/A<</S/URI/URI(https://exemple.fr)>>>>",
      24: "<</Type/Annot/Subtype/Popup/Rect[0 0 90 90]/Parent 20 0 R>>",
      25: "<</Type/Annot/Subtype/FileAttachment/Rect[500 20 520 40]/F 2/FS<</F(a.xml)/EF<</F 33 0 R>>>>>>",
      30: stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 100 50]",
        "1 1 0 rg 0 0 100 50 re f 0 g 10 10 20 20 re f",
      ),
      31: stream("/Type/XObject/Subtype/Form/BBox[0 0 100 50]", "1 0 0 rg 0 0 100 50 re f"),
      32: stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 100 50]/Matrix[0 1 -1 0 0 0]",
        "0 0.5 0 rg 0 0 100 25 re f",
      ),
      33: stream("/Type/EmbeddedFile", "<a/>"),
    },
  });
}

/** Scripts and outward actions in every place; one in an object stream. */
export function activePdf(): Uint8Array {
  return smallPdf({
    catalogExtra:
      "/OpenAction 20 0 R/AA<</WC<</S/JavaScript/JS(1)>>>>/Names<</JavaScript<</Names[(a)21 0 R]>>>>/Outlines 24 0 R",
    pageExtra: "/AA<</O<</S/Launch/F(x)>>>>/Annots[22 0 R 23 0 R]",
    objects: {
      20: "<</S/GoTo/D[3 0 R/Fit]/Next[<</S/J#61vaScript/JS(1)>><</S/URI/URI(https://exemple.fr)>>]>>",
      21: "<</S/JavaScript/JS 26 0 R>>",
      22: "<</Type/Annot/Subtype/Link/Rect[0 0 50 50]/A<</S/SubmitForm/F(http://x)>>/PA<</S/URI/URI(https://exemple.fr)>>>>",
      23: "<</Type/Annot/Subtype/Link/Rect[50 0 90 50]/A<</S/GoToR/F(x.pdf)>>/AA<</E<</S/Hide/T(a)>>>>>>",
      24: "<</Type/Outlines/First 25 0 R/Last 25 0 R/Count 1>>",
      25: "<</Title(x)/Parent 24 0 R/A<</S/ImportData/F(x)>>>>",
      26: stream("", "app.alert(1)"),
    },
  });
}
