import {
  type Attack,
  type AttackStage,
  STAGE_LATER,
  sealed,
  swap,
  type Attacks,
} from "./attack-stage.ts";
import { forgedRevision } from "./forge.ts";
import { signFreely } from "./sign-freely.ts";
import { type SmallPdfOptions, smallPdf } from "./small-pdf.ts";

const PAINT = "1 g 0 0 595 842 re f 0 g BT /F1 24 Tf 72 700 Td (FAUX) Tj ET";
const FRAME = "/BBox[0 0 595 842]";
const look = (entries: string): string =>
  `<<${entries}/Resources<</Font<</F1 5 0 R>>>>/Length ${PAINT.length}>>\nstream\n${PAINT}\nendstream`;
const form = (frame: string): string => look(`/Type/XObject/Subtype/Form${frame}`);

const by =
  ({ pki, ...people }: AttackStage, who: "alice" | "bob") =>
  (covered: Uint8Array): Promise<Uint8Array> =>
    sealed(
      { signer: people[who], tsa: who === "alice" ? pki.tsa : pki.tsaAt(STAGE_LATER) },
      covered,
    );

/** A form's dictionary without a stream. */
const NO_FORM = "<</Type/XObject/Subtype/Form/Bbox[0 0 0 0]/Length 0>>";
type Look = {
  readonly certification?: number;
  readonly rect?: string;
  readonly appearance?: string;
};
/** Signed by Alice; then by Bob, in a small place or none, with an earlier appearance. */
const signedWith =
  (
    object: string,
    { certification, rect = "20 20 22 22", appearance = "/AP<</N 60 0 R>>" }: Look = {},
  ): Attack =>
  async (stage) => {
    const file = smallPdf({
      catalogExtra: "/PieceInfo 61 0 R",
      objects: { 59: form(FRAME), 60: object, 61: "[59 0 R 60 0 R]" },
    });
    const first = await signFreely(file, {
      fieldName: "alice",
      cms: by(stage, "alice"),
      ...(certification ? { certification } : {}),
    });
    return signFreely(first, {
      fieldName: "bob",
      rect,
      fieldExtra: appearance,
      cms: by(stage, "bob"),
    });
  };

const TEXT =
  "<</Type/Annot/Subtype/Widget/FT/Tx/T(note)/Rect[10 10 11 11]/F 4/P 3 0 R/DA(/F1 10 Tf)";
const FIELD: SmallPdfOptions = {
  catalogExtra: "/AcroForm<</Fields[21 0 R]/DR<</Font<</F1 5 0 R>>>>>>",
  pageExtra: "/Annots[21 0 R]",
  objects: { 21: `${TEXT}>>` },
};
/** A tiny field of a certified file, filled by anybody. */
const filledWith =
  (form: string): Attack =>
  async (stage) => {
    const certified = await signFreely(smallPdf(FIELD), {
      fieldName: "alice",
      certification: 2,
      cms: by(stage, "alice"),
    });
    return forgedRevision(certified, {
      objects: { 21: `${TEXT}/V(x)/AP<</N 950 0 R>>>>`, 950: form },
    });
  };

/** A form without a BBox: some readers draw it over the page. */
export const LOOK_ATTACKS: Attacks = {
  "look without a box: of a new signature": signedWith(form("")),
  "look without a box: of a new signature, nowhere": signedWith(form(""), { rect: "0 0 0 0" }),
  "look without a box: of a signature in a certified file": signedWith(form(""), {
    certification: 2,
    rect: "0 0 0 0",
  }),
  "look without a box: of a field of a certified file": filledWith(form("")),
  "look without a form: of a field with a value, which some readers draw themselves":
    filledWith(NO_FORM),
  "look without a form: forms by state": signedWith(swap(NO_FORM, "/Length 0", "/Length 59 0 R")),
  "look without a form: a form in a list": signedWith(swap(NO_FORM, "[0 0 0 0]", "[59 0 R]")),
  "look without a form: one written there": signedWith(
    swap(NO_FORM, "/Length 0", "/On<</Off 59 0 R>>"),
  ),
  "look without a form: one under the pointer": signedWith(NO_FORM, {
    appearance: "/AP<</N 60 0 R/R 59 0 R>>",
  }),
  "look without a form: one under the pointer alone": signedWith(NO_FORM, {
    appearance: "/AP<</D 60 0 R>>",
  }),
  "look without a form: a state besides": signedWith(NO_FORM, {
    appearance: "/AP<</N 60 0 R>>/AS/Length",
  }),
  "look without a box: three numbers": signedWith(form("/BBox[0 0 595]")),
  "look without a box: a name among them": signedWith(form("/BBox[/X 0 595 842]")),
  "look: an image": signedWith(look(`/Type/XObject/Subtype/Image${FRAME}`)),
};

export const HONEST_LOOKS: Attacks = {
  "a look with a box, of a further signature": signedWith(form(FRAME)),
  "a look with a box, of a field of a certified file": filledWith(form(FRAME)),
  "a look without a form, of a further signature, as endesive writes": signedWith(NO_FORM, {
    rect: "0 0 0 0",
  }),
  "a look without a form, of a signature that has a place": signedWith(NO_FORM),
};
