import { type Attack, sealed, type Attacks } from "./attack-stage.ts";
import { signFreely } from "./sign-freely.ts";
import { type SmallPdfOptions, smallPdf } from "./small-pdf.ts";

const PLACE = "/Type/Annot/Subtype/Widget/Rect[60 680 300 740]/F 4/P 3 0 R";
const LOOK = "/AP<</N 13 0 R>>";
const DRAWN = "BT /F1 12 Tf 2 5 Td (Signe par Bob) Tj ET";
const VALUE =
  "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/Name(Bob)/Contents<00>>>";
const shown = (widget: string, objects: SmallPdfOptions["objects"] = {}): SmallPdfOptions => ({
  pageExtra: "/Annots[12 0 R]",
  objects: {
    12: widget,
    13: `<</Type/XObject/Subtype/Form/BBox[0 0 240 60]/Resources<</Font<</F1 5 0 R>>>>/Length ${DRAWN.length}>>\nstream\n${DRAWN}\nendstream`,
    ...objects,
  },
});
const inForm = (options: SmallPdfOptions): SmallPdfOptions => ({
  catalogExtra: "/AcroForm<</Fields[12 0 R]>>",
  ...options,
});

/** Files that show a signature that nobody made: in an unlisted field, or without a range. */
export const UNLISTED: Readonly<Record<string, SmallPdfOptions>> = {
  "a field outside the form, its value without a range": shown(
    `<</FT/Sig/T(bob)${PLACE}/V 9 0 R>>`,
    { 9: VALUE },
  ),
  "a field outside the form, its value a name alone": shown(
    `<</FT/Sig/T(bob)${PLACE}/V<</Name(Bob)>>>>`,
  ),
  "a field outside the form, drawn as if it were signed": shown(
    `<</FT/Sig/T(bob)${PLACE}${LOOK}>>`,
  ),
  "a field outside the form, of its parent's type": shown(`<</Parent 14 0 R${PLACE}${LOOK}>>`, {
    14: "<</FT/Sig/T(bob)>>",
  }),
  "a value without a range or a type, that a page leads to": {
    pageExtra: "/PieceInfo<</X 9 0 R>>",
    objects: { 9: VALUE.replace("/Type/Sig", "") },
  },
  "a time-stamp without a range, that a page leads to": {
    pageExtra: "/PieceInfo<</X 9 0 R>>",
    objects: { 9: VALUE.replace("/Type/Sig", "/Type/DocTimeStamp") },
  },
  "a text field whose value is a signature without a range": inForm(
    shown(`<</FT/Tx/T(bob)${PLACE}/V 9 0 R>>`, { 9: VALUE }),
  ),
};
/** The same in a listed field, whose value is validated. */
export const WITHOUT_RANGE = inForm(
  shown(`<</FT/Sig/T(bob)${PLACE}${LOOK}/V 9 0 R>>`, { 9: VALUE }),
);

/** No signature: an empty frame, a field of several widgets, a seed value. */
export const UNSIGNED: Readonly<Record<string, SmallPdfOptions>> = {
  "an empty field outside the form": shown(`<</FT/Sig/T(bob)${PLACE}>>`),
  "a widget of no type": shown(`<</Parent 14 0 R${PLACE}${LOOK}>>`, {
    14: "<</T(bob)/Parent 14 0 R>>",
  }),
  "an empty field that has its widget beside it": {
    ...shown(`<</Parent 14 0 R${PLACE}${LOOK}>>`, { 14: "<</FT/Sig/T(bob)/Kids[12 0 R]>>" }),
    catalogExtra: "/AcroForm<</Fields[14 0 R]>>",
  },
  "a field that says who may sign": inForm(
    shown(`<</FT/Sig/T(bob)${PLACE}/SV<</Type/SV/SubFilter[/ETSI.CAdES.detached]>>>>`),
  ),
};

const signedBy =
  (options: SmallPdfOptions): Attack =>
  ({ alice, pki }) =>
    signFreely(smallPdf(options), {
      fieldName: "alice",
      cms: (covered) => sealed({ signer: alice, tsa: pki.tsa }, covered),
    });
const named = (files: Readonly<Record<string, SmallPdfOptions>>): Attacks =>
  Object.fromEntries(
    Object.entries(files).map(([name, options]) => [`unlisted: ${name}`, signedBy(options)]),
  );

/** The same files, signed by somebody trusted. */
export const UNLISTED_ATTACKS: Attacks = {
  ...named(UNLISTED),
  "unlisted: a listed field's value without a range": signedBy(WITHOUT_RANGE),
};
export const HONEST_UNSIGNED: Attacks = named(UNSIGNED);
