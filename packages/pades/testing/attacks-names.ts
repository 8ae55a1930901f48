import type { Attack } from "./attack-pieces.ts";
import { forgedRevision, lastObject } from "./forge.ts";
import { prepareAll, signAs } from "./sign-flow.ts";
import { smallPdf } from "./small-pdf.ts";

const stream = (entries: string, data: string): string =>
  `<<${entries}/Length ${data.length}>>\nstream\n${data}\nendstream`;
const FORM = "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>";
const FALSE = stream(FORM, "1 g 60 640 400 100 re f 0 g BT /F1 24 Tf 72 700 Td (FAUX) Tj ET");
const resources = (forms: string): string => `<</Font<</F1 5 0 R>>/XObject<<${forms}>>>>`;

/** A page that paints a form under one name, signed by Alice; then its resources, which had the form under another, are written again. */
const renamed =
  (painted: string, before: string, after: string): Attack =>
  async ({ alice, pki }) => {
    const objects = {
      3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents[4 0 R 6 0 R]/Resources 9 0 R>>",
      6: stream("", `q ${painted} Do Q`),
      9: resources(before),
      31: FALSE,
    };
    const signed = await signAs(await prepareAll(smallPdf({ objects })), {
      signer: alice,
      tsa: pki.tsa,
      ownerKey: "alice",
    });
    return forgedRevision(signed, { objects: { 9: resources(after) } });
  };

/** Entries that every JavaScript object has are no rules of ours. */
const inCatalog =
  (entry: string): Attack =>
  ({ first }) => {
    const { number, syntax } = lastObject(first, "/Type /Catalog");
    return forgedRevision(first, { objects: { [number]: `${syntax.slice(0, -2)}${entry}>>` } });
  };

/** Two names are the same if their bytes are, and not otherwise. Source: ISO 32000-2 §7.3.5. */
export const NAME_ATTACKS: Readonly<Record<string, Attack>> = {
  "name: two of bytes that are no UTF-8": renamed("/#FF", "/#E9 31 0 R", "/#FF 31 0 R"),
  "name: a byte, and the two that mean it in UTF-8": renamed(
    "/#E9",
    "/#C3#A9 31 0 R",
    "/\u00e9 31 0 R",
  ),
  "name: with the mark of UTF-8 before it, and without": renamed(
    "/Q",
    "/#EF#BB#BFQ 31 0 R",
    "/Q 31 0 R",
  ),
  "name: a byte beside a code": renamed("/\u00e9#20", "/\u00ff#20 31 0 R", "/\u00e9#20 31 0 R"),
  "name: of what every object has, in the catalog": inCatalog(
    "/constructor<</S/JavaScript/JS(1)>>",
  ),
};

export const HONEST_NAMES: Readonly<Record<string, Attack>> = {
  "a name written otherwise, of the same bytes": renamed("/#E9", "/#E9 31 0 R", "/\u00e9 31 0 R"),
  "a name of letters, one of them by its code": renamed("/Qa", "/Q#61 31 0 R", "/Qa 31 0 R"),
};
