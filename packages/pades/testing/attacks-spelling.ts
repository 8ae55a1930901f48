import type { Attack, Attacks } from "./attack-stage.ts";
import { forgedRevision, extended } from "./forge.ts";
import { prepareAll, signAs } from "./sign-flow.ts";
import { type SmallPdfOptions, smallPdf, stream } from "./small-pdf.ts";

const FORM = "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>";
const FALSE = stream(FORM, "1 g 60 640 400 100 re f 0 g BT /F1 24 Tf 72 700 Td (FAUX) Tj ET");
const resources = (forms: string): string => `<</Font<</F1 5 0 R>>/XObject<<${forms}>>>>`;

/**
 * A page paints a form by one name, signed by Alice; then its resources, with another name, are
 * rewritten.
 */
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

/** Entries that every JavaScript object has. */
const inCatalog =
  (entry: string): Attack =>
  ({ first }) =>
    extended(first, "/Type /Catalog", entry);

/** Names are equal by their bytes. Source: ISO 32000-2 §7.3.5. */
export const NAME_ATTACKS: Attacks = {
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

export const HONEST_NAMES: Attacks = {
  "a name written otherwise, of the same bytes": renamed("/#E9", "/#E9 31 0 R", "/\u00e9 31 0 R"),
  "a name of letters, one of them by its code": renamed("/Qa", "/Q#61 31 0 R", "/Qa 31 0 R"),
};

/** Enlarged ten million times by the page. */
const form = (matrix: string): string =>
  stream(
    `/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Matrix[${matrix}]/Resources<</Font<</F1 5 0 R>>>>`,
    "BT /F1 24 Tf 72 700 Td (9000 EUR) Tj ET",
  );
const file = (matrix: string): SmallPdfOptions => ({
  objects: {
    3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents[4 0 R 6 0 R]/Resources 9 0 R>>",
    6: stream("", "q 10000000 0 0 10000000 0 0 cm /Q Do Q"),
    9: "<</Font<</F1 5 0 R>>/XObject<</Q 31 0 R>>>>",
    31: form(matrix),
  },
});

/** Signed by Alice; then the form gets another matrix. */
const moved =
  (before: string, after: string): Attack =>
  async ({ alice, pki }) => {
    const signed = await signAs(await prepareAll(smallPdf(file(before))), {
      signer: alice,
      tsa: pki.tsa,
      ownerKey: "alice",
    });
    return forgedRevision(signed, { objects: { 31: form(after) } });
  };
const SMALL = "0.0000001 0 0 0.0000001 0";

/**
 * Numbers are compared as written, and written as every reader reads them.
 * Source: ISO 32000-2 §7.3.3.
 */
export const NUMBER_ATTACKS: Attacks = {
  "number: one that came to nothing when it was rounded": moved(
    "0.00000000001 0 0 0.0000001 0 0",
    `${SMALL} 0`,
  ),
  "number: the seventh decimal": moved(`${SMALL} 0.0000001`, `${SMALL} 0`),
  "number: beyond what a reader holds, a half more": moved(
    "1 0 0 1 9999999999999999999999 0",
    "1 0 0 1 9999999999999999999999.5 0",
  ),
  "number: beyond 32 bits": moved("1 0 0 1 4294967296 0", "1 0 0 1 4294967296.0 0"),
  "number: beyond 32 bits, a sign more": moved("1 0 0 1 4294967296 0", "1 0 0 1 +4294967296 0"),
  "number: beyond 32 bits, a zero before it": moved(
    "1 0 0 1 4294967296 0",
    "1 0 0 1 04294967296 0",
  ),
  "number: two in one word": moved("1 0 0 1 0 0", "1 0 0 1 .0-1 0"),
  "number: two signs": moved("1 0 0 1 5 0", "1 0 0 1 --5 0"),
  "number: an exponent": moved(`${SMALL} 0`, "1e-7 0 0 0.0000001 0 0"),
};

export const HONEST_NUMBERS: Attacks = {
  "numbers written otherwise": moved("0.0000001 0 0 .5 +7 -0.0", "0.00000010 0.0 0 0.50 7. 0"),
  "a number beyond 32 bits, written again as it was": moved(
    "1 0 0 1 4294967296 0",
    "1  0 0 1 4294967296 0",
  ),
};
