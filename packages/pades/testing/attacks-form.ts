import { toHex } from "../src/asn1/der-reader.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { archiveWith } from "./archive.ts";
import {
  type Attack,
  type AttackStage,
  EVIL_CONTENT,
  STAGE_LATER,
  sealed,
  swap,
  type Attacks,
} from "./attack-stage.ts";
import { LOOK_ATTACKS } from "./attacks-looks.ts";
import { forgedRevision, lastObject, latin, extended, redefined } from "./forge.ts";
import { prepareAll, signAs } from "./sign-flow.ts";
import { signFreely } from "./sign-freely.ts";
import { type SmallPdfOptions, smallPdf, type Objects } from "./small-pdf.ts";

const WHOLE = "/Rect[0 0 595 842]";
const NOWHERE = "/Rect[0 0 0 0]";
const form = (data: string): string =>
  `<</Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Length ${data.length}>>\nstream\n${data}\nendstream`;
const OVERLAY = form("1 g 0 0 595 842 re f 0 g BT /F1 24 Tf 72 700 Td (FAUX) Tj ET");
const LOOK = "/AP<</N 902 0 R>>";
const STAMP_ROOM = 8_192;

/** Adds field 901 to form and page. */
export function withField(bytes: Uint8Array, syntax: string, more: Objects = {}): Objects {
  const [page, fields] = [lastObject(bytes, "/Type /Page "), lastObject(bytes, "/SigFlags")];
  return {
    901: syntax,
    [page.number]: swap(
      page.syntax,
      /(\/Annots ?\[[^\]]*)\]/,
      (found) => `${found.slice(0, -1)} 901 0 R]`,
    ),
    [fields.number]: swap(
      fields.syntax,
      /(\/Fields ?\[[^\]]*)\]/,
      (found) => `${found.slice(0, -1)} 901 0 R]`,
    ),
    ...more,
  };
}
export const widget = (rest: string, subtype = "Widget"): string =>
  `<</Type/Annot/Subtype/${subtype}/FT/Sig/T(x)/F 4/P 3 0 R${rest}>>`;
const added =
  (syntax: string, more: Objects = {}): Attack =>
  ({ archived }) =>
    forgedRevision(archived, { objects: withField(archived, syntax, more) });

/** Appends an update sealed by a trusted document time-stamp, value object 900. */
export async function stamped(
  { pki }: AttackStage,
  bytes: Uint8Array,
  objects: Objects,
  { type = "DocTimeStamp", more = "" } = {},
): Promise<Uint8Array> {
  const value = `<</Type/${type}${more}/Filter/Adobe.PPKLite/SubFilter/ETSI.RFC3161/ByteRange[0 ${"@".repeat(30)}]/Contents<${"0".repeat(STAMP_ROOM * 2)}>>>`;
  const text = latin(forgedRevision(bytes, { objects: { 900: value, ...objects } }));
  const from = text.lastIndexOf("/Contents<0000") + 9;
  const to = from + STAMP_ROOM * 2 + 2;
  const whole = latinBytes(
    text.replace("@".repeat(30), `${from} ${to} ${text.length - to}`.padEnd(30)),
  );
  const covered = new Uint8Array([...whole.subarray(0, from), ...whole.subarray(to)]);
  const token = await pki
    .tsaAt(STAGE_LATER)
    .timestamp(new Uint8Array(await crypto.subtle.digest("SHA-256", covered)));
  whole.set(latinBytes(toHex(token)), from + 1);
  return whole;
}
const stampedField =
  (syntax: string, more: Objects = {}): Attack =>
  (stage) =>
    stamped(stage, stage.archived, withField(stage.archived, syntax, more));
/** The same, honest: an invisible field. */
export const HONEST_STAMP: Attack = stampedField(widget(`${NOWHERE}/V 900 0 R`));

/** White space until decoded. */
const FILTERED = form(" \t\n\r\f\0").replace("/BBox", "/Filter[/LZWDecode/ASCII85Decode]/BBox");
const stampedAs =
  (type: string, syntax: string): Attack =>
  (stage) =>
    stamped(stage, stage.archived, withField(stage.archived, syntax, { 902: OVERLAY }), { type });

const NEW_FIELDS: Attacks = {
  "new field: an empty signature with a look": added(widget(WHOLE + LOOK), { 902: OVERLAY }),
  "new field: an empty signature with looks by state": added(
    widget(`${WHOLE}/AS/On/AP<</N<</On 902 0 R>>>>`),
    { 902: OVERLAY },
  ),
  "new field: an empty signature with a look, nowhere": added(widget(NOWHERE + LOOK), {
    902: OVERLAY,
  }),
  "new field: an empty signature with a look that is a stream": added(
    widget(`${WHOLE}/AP 902 0 R`),
    { 902: OVERLAY },
  ),
  "new field: a background": added(widget(`${WHOLE}/MK<</BG[1 1 1]/BC[1 0 0]/CA(FAUX)>>`)),
  "new field: a border": added(widget(`${WHOLE}/Border[0 0 99]`)),
  "new field: a border's style": added(widget(`${WHOLE}/BS<</W 99>>`)),
  "new field: free text": added(
    widget(`${WHOLE}/DA(/Helv 24 Tf 1 0 0 rg)/Contents(FAUX)/C[1 1 1]`, "FreeText"),
  ),
  "new field: a square": added(widget(`${WHOLE}/IC[1 1 1]`, "Square")),
  "new field: a link": added(widget(`${WHOLE}/A<</S/URI/URI(https://evil.example)>>`, "Link")),
  "new field: an action": added(widget(`${NOWHERE}/A<</S/JavaScript/JS(app.alert\\(1\\))>>`)),
  "new field: an action on sight": added(widget(`${NOWHERE}/AA<</PO<</S/JavaScript/JS(1)>>>>`)),
  "new field: kids": added(widget(`${NOWHERE}/Kids[]`)),
  "new field: a stream": added(swap(EVIL_CONTENT, "<<", `<</Subtype/Widget/FT/Sig/T(x)${NOWHERE}`)),
  "new field: a value that is none": added(widget(`${NOWHERE}/V(x)`)),
  "new field: on the page twice": ({ archived }) => {
    const objects = withField(archived, widget(NOWHERE));
    const { number } = lastObject(archived, "/Type /Page ");
    return forgedRevision(archived, {
      objects: {
        ...objects,
        [number]: swap(objects[number] ?? "", "901 0 R]", "901 0 R 901 0 R]"),
      },
    });
  },
  "new field: an empty signature with a look of white space under filters": added(
    widget(WHOLE + LOOK),
    { 902: FILTERED },
  ),
  "new field: an empty signature with an image": added(widget(WHOLE + LOOK), {
    902: form(" ").replace("/Form", "/Image"),
  }),
  "new field: an empty signature with a group": added(widget(WHOLE + LOOK), {
    902: form(" ").replace("/BBox", "/Ref<<>>/BBox"),
  }),
  "stamp: over the page, called a signature": stampedAs("Sig", widget(`${WHOLE}/V 900 0 R${LOOK}`)),
  "stamp: over the page, called otherwise": stampedAs("Foo", widget(`${WHOLE}/V 900 0 R${LOOK}`)),
  "stamp: nowhere, called a signature, and nothing else": (stage) =>
    stamped(stage, stage.archived, withField(stage.archived, widget(`${NOWHERE}/V 900 0 R`)), {
      type: "Sig",
    }),
  "stamp: nowhere, called a signature": stampedAs("Sig", widget(`${NOWHERE}/V 900 0 R`)),
  "stamp: over the page": stampedField(widget(`${WHOLE}/V 900 0 R${LOOK}`), { 902: OVERLAY }),
  "stamp: over the page, without a look": stampedField(widget(`${WHOLE}/V 900 0 R`)),
  "stamp: a look, nowhere": stampedField(widget(`${NOWHERE}/V 900 0 R${LOOK}`), { 902: OVERLAY }),
  "stamp: a look under the pointer": stampedField(widget(`${NOWHERE}/V 900 0 R/AP<</R 902 0 R>>`), {
    902: OVERLAY,
  }),
  "stamp: a square": stampedField(widget(`${WHOLE}/V 900 0 R/IC[1 1 1]`, "Square")),
};

/** A file with its own field 20, signed by Alice and archived. */
async function ownField(
  stage: AttackStage,
  field: string,
  options: SmallPdfOptions = {},
): Promise<Uint8Array> {
  const file = smallPdf({
    catalogExtra: "/AcroForm<</Fields[20 0 R]/DA(/Helv 12 Tf 0 g)>>",
    pageExtra: "/Annots[20 0 R]",
    ...options,
    objects: { 20: field, ...options.objects },
  });
  const { alice, pki } = stage;
  return archiveWith(
    pki,
    await signAs(await prepareAll(file), { signer: alice, tsa: pki.tsa, ownerKey: "alice" }),
    STAGE_LATER,
  );
}
const TEXT = "<</Type/Annot/Subtype/Widget/FT/Tx/F 4/P 3 0 R";
const COVER = `${TEXT}/T(cache)${WHOLE}>>`;
const SUM: SmallPdfOptions = { objects: { 21: form("BT /F1 12 Tf 2 5 Td (100 EUR) Tj ET") } };
const AMOUNT = `${TEXT}/T(montant)/V(100 EUR)/Rect[72 500 300 530]/AP<</N 21 0 R>>>>`;

const refilled =
  (
    field: string,
    to: string,
    { own, more = {} }: { own?: SmallPdfOptions; more?: Objects } = {},
  ): Attack =>
  async (stage) =>
    forgedRevision(await ownField(stage, field, own), {
      objects: { 20: to, 902: OVERLAY, ...more },
    });
const NEW_AMOUNT = swap(swap(AMOUNT, "100", "9999"), "21 0 R", "902 0 R");

const blank = (bytes: Uint8Array) => lastObject(bytes, "/T(env-0198_b-txt)");
const inBlank =
  (change: (syntax: string) => string): Attack =>
  ({ first }) => {
    const { number, syntax } = blank(first);
    const changed = change(syntax);
    return forgedRevision(first, {
      objects: { [number]: changed, ...(changed.includes("902 0 R") ? { 902: OVERLAY } : {}) },
    });
  };
/** Bob's text field filled by a trusted signer with this `/Reference`. */
const filledAndSigned =
  (reference?: string): Attack =>
  async (stage) => {
    const filled = await inBlank((text) => `${text.slice(0, -2)}/V(Bon)>>`)(stage);
    const cms = (covered: Uint8Array): Promise<Uint8Array> =>
      sealed({ signer: stage.bob, tsa: stage.pki.tsa }, covered);
    return signFreely(filled, { cms, ...(reference ? { reference } : {}) });
  };
const declares = (name: string): string =>
  `/Reference[<</TransformMethod/FieldMDP/TransformParams<</Action/Include/Fields[(${name})]>>>>]`;
/** The signer declares the field. */
export const HONEST_FILLING: Attack = filledAndSigned(declares("env-0198_b-txt"));

const FILLING: Attacks = {
  "filling: a blank field, by nobody who signs": inBlank((text) => `${text.slice(0, -2)}/V(Bon)>>`),
  "filling: a blank field's look": inBlank((text) => swap(text, /\/AP ?<<[^>]*>>/, LOOK)),
  "filling: a blank field's place": inBlank((text) =>
    swap(swap(text, /\/Rect ?\[[^\]]*\]/, WHOLE), /\/AP ?<<[^>]*>>/, LOOK),
  ),
  "filling: by a signer who does not say so": filledAndSigned(),
  "filling: by a signer of other fields": filledAndSigned(declares("env-0198_b-autre")),
  "filling: then a document time-stamp": async (stage) => {
    const bytes = await inBlank((text) => `${text.slice(0, -2)}/V(Bon)>>`)(stage);
    return stamped(stage, bytes, withField(bytes, widget(`${NOWHERE}/V 900 0 R`)));
  },
  "filling: a field filled again": refilled(AMOUNT, NEW_AMOUNT, { own: SUM }),
  "filling: a field emptied": refilled(AMOUNT, swap(AMOUNT, "/V(100 EUR)", ""), { own: SUM }),
  "filling: a field over the page": refilled(COVER, `${COVER.slice(0, -2)}/V(x)${LOOK}>>`),
  "filling: a field over the page, its look alone": refilled(
    COVER,
    `${COVER.slice(0, -2)}${LOOK}>>`,
  ),
  "filling: a value that is a stream": refilled(COVER, `${COVER.slice(0, -2)}/V 902 0 R>>`),
  "filling: a look that is a stream": refilled(COVER, `${COVER.slice(0, -2)}/V(x)/AP 902 0 R>>`),
  "filling: a look of unknown kinds": refilled(
    COVER,
    `${COVER.slice(0, -2)}/V(x)/AP<</N 902 0 R/Subtype/Type3>>>>`,
  ),
  "filling: a field that is painted as a picture": async (stage) => {
    const field = (data: string): string => swap(form(data), "<<", "<</FT/Tx/T(f)");
    const own = {
      3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</X 20 0 R>>>>>>",
      20: field("BT /F1 18 Tf 10 10 Td (Loyer  850) Tj ET"),
    };
    const cms = (covered: Uint8Array): Promise<Uint8Array> =>
      sealed({ signer: stage.alice, tsa: stage.pki.tsa }, covered);
    const signed = await signFreely(
      smallPdf({ catalogExtra: "/AcroForm<</Fields[20 0 R]>>", objects: own }),
      { cms },
    );
    return forgedRevision(signed, {
      objects: { 20: field("BT /F1 18 Tf 10 10 Td (Loyer 9999) Tj ET") },
    });
  },
  "stamp: in an empty field of the file, over the page": async (stage) => {
    const empty = `<</Type/Annot/Subtype/Widget/FT/Sig/T(vide)${WHOLE}/F 4/P 3 0 R>>`;
    return stamped(stage, await ownField(stage, empty), {
      20: `${empty.slice(0, -2)}/V 900 0 R${LOOK}>>`,
      902: OVERLAY,
    });
  },
};

const onSignature =
  (change: (syntax: string) => string, more: Objects = {}): Attack =>
  ({ archived }) =>
    redefined(archived, "/T (env-0198_signature_alice)", change, more);
const onPage =
  (entries: string): Attack =>
  ({ archived }) =>
    extended(archived, "/Type /Page ", entries);
const SHOWN: Attacks = {
  "shown: another look of a signature": onSignature((text) => swap(text, /\/AP ?<<[^>]*>>/, LOOK), {
    902: OVERLAY,
  }),
  "shown: a signature's look redrawn": ({ archived }) => {
    const look = /\/AP ?<<\/N (\d+)/.exec(
      lastObject(archived, "/T (env-0198_signature_alice)").syntax,
    )?.[1];
    return forgedRevision(archived, { objects: { [Number(look)]: OVERLAY } });
  },
  "shown: a signature of another name": ({ archived }) =>
    redefined(archived, "/Name(Signataire alice)", (syntax) =>
      swap(syntax, "Signataire alice", "Signataire bob"),
    ),
  "shown: the page turned": onPage("/Rotate 180"),
  "shown: the page cut": onPage("/CropBox[0 0 100 100]"),
  "shown: another font": ({ archived }) =>
    forgedRevision(archived, {
      objects: { 5: "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>" },
    }),
};

/** What readers draw for later fields, signatures and time-stamps, and who filled what. */
export const FORM_ATTACKS: Attacks = {
  ...NEW_FIELDS,
  ...FILLING,
  ...SHOWN,
  ...LOOK_ATTACKS,
};
