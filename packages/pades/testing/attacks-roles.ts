import { octetString, oid, sequence } from "../src/asn1/der-writer.ts";
import { OID } from "../src/asn1/oids.ts";
import { attribute } from "../src/cms/signed-data.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { type Attack, type AttackStage, sealed, swap, type Attacks } from "./attack-stage.ts";
import {
  forgedRevision,
  forgedUpdate,
  lastObject,
  latin,
  streamSection,
  tableRow,
} from "./forge.ts";
import { freeCms, signFreely } from "./sign-freely.ts";
import { prepareAll, signAs } from "./sign-flow.ts";
import { smallPdf } from "./small-pdf.ts";

const noted = (syntax: string): string =>
  `${syntax.slice(0, -2)}/Extensions<</ZZZZ<</BaseVersion/2.0/ExtensionLevel 1>>>>>>`;

/** An update of the unchanged catalog, with an object 0 or 1 beside it. */
const beside =
  (
    make: (
      bytes: Uint8Array,
      catalog: { readonly number: number; readonly object: string },
    ) => Uint8Array,
  ): Attack =>
  ({ archived }) => {
    const { number, syntax } = lastObject(archived, "/Type /Catalog");
    return make(archived, { number, object: `${number} 0 obj\n${noted(syntax)}\nendobj\n` });
  };
const ZERO = "0 0 obj\n<<>>\nendobj\n";

/** A catalog of another number; object 1 is free. */
export function smallPdfFromTwo(): Uint8Array {
  const text = swap(
    swap(latin(smallPdf()), "\n1 0 obj", "\n6 0 obj"),
    "/Size 6/Root 1 0 R",
    "/Size 7/Root 6 0 R",
  );
  return latinBytes(swap(text, /\n1 1\n(\d{10})/, (row) => row.replace("\n1 1", "\n6 1")));
}
const signedFromTwo = async ({ alice, pki }: AttackStage): Promise<Uint8Array> =>
  signAs(await prepareAll(smallPdfFromTwo()), { signer: alice, ownerKey: "alice", tsa: pki.tsa });
const fromTwo =
  (rows: (catalog: string) => string): Attack =>
  async (stage) => {
    const bytes = await signedFromTwo(stage);
    const { number, syntax } = lastObject(bytes, "/Type /Catalog");
    return forgedUpdate(bytes, {
      parts: { c: `${number} 0 obj\n${noted(syntax)}\nendobj\n` },
      rows: ({ c = 0 }) => rows(tableRow(number, c)),
      trailer: (text) => swap(text, "/Root 1 0 R", "/Root 6 0 R"),
    });
  };

/** Object 0 heads the free list. Source: ISO 32000-2 §7.5.4. */
const NUMBERS: Attacks = {
  "numbers: a table that begins at 1 with a free row": fromTwo(
    (catalog) => `1 1\n0000000000 00001 f\r\n${catalog}`,
  ),
  "numbers: object 0 in use": beside((bytes, { number, object }) =>
    forgedUpdate(bytes, {
      parts: { z: ZERO, c: object },
      rows: ({ z = 0, c = 0 }) => tableRow(0, z) + tableRow(number, c),
    }),
  ),
  "numbers: object 0 in use, in a stream": beside((bytes, { number, object }) =>
    forgedUpdate(bytes, {
      parts: { z: ZERO, c: object },
      stream: (at) =>
        streamSection(bytes, at, [
          { number: 0, kind: 1, at: at.z ?? 0 },
          { number, kind: 1, at: at.c ?? 0 },
        ]),
    }),
  ),
  "numbers: object 0 in an object stream": beside((bytes, { number, object }) =>
    forgedUpdate(bytes, {
      parts: {
        s: "990 0 obj\n<</Type/ObjStm/N 1/First 4/Length 8>>\nstream\n0 0 <<>>\nendstream\nendobj\n",
        c: object,
      },
      stream: (at) =>
        streamSection(bytes, at, [
          { number, kind: 1, at: at.c ?? 0 },
          { number: 990, kind: 1, at: at.s ?? 0 },
          { number: 0, kind: 2, at: 990 },
        ]),
    }),
  ),
  "numbers: a cross-reference stream of number 0": beside((bytes, { number, object }) =>
    forgedUpdate(bytes, {
      parts: { c: object },
      stream: (at) =>
        swap(
          swap(
            streamSection(bytes, at, [{ number, kind: 1, at: at.c ?? 0 }]),
            "992 0 obj",
            "0 0 obj",
          ),
          "992 1",
          "0 1",
        ),
    }),
  ),
};

type Role = {
  readonly field: string;
  readonly later: string;
  readonly content: string;
  readonly resources: string;
  readonly image?: string;
};
const stream = (data: string, entries = ""): string =>
  `<<${entries}/Length ${data.length}>>\nstream\n${data}\nendstream`;

/** A certified file whose field is also a page's resource; then the field is filled. */
const filledRole = async (stage: AttackStage, role: Role): Promise<Uint8Array> => {
  const widget = (entries: string): string =>
    `<<${entries}/Type/Annot/Subtype/Widget/Rect[0 0 0 0]/F 2>>`;
  const bytes = smallPdf({
    catalogExtra: "/AcroForm 10 0 R",
    objects: {
      3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Annots[8 0 R]/Resources<</Font<</F1 5 0 R>>${role.resources}>>>>`,
      4: stream(role.content),
      8: widget(role.field),
      10: "<</Fields[8 0 R]>>",
      ...(role.image ? { 20: role.image } : {}),
    },
  });
  const signed = await signFreely(bytes, {
    certification: 2,
    cms: (covered) => sealed({ signer: stage.alice, tsa: stage.pki.tsa }, covered),
  });
  return forgedRevision(signed, { objects: { 8: widget(role.later) } });
};
const PALETTE =
  "/V cs 0 sc BT /F1 24 Tf 72 700 Td (100 EUR) Tj ET 1 sc BT /F1 24 Tf 72 600 Td (FAUX) Tj ET";
const TEXT = "/FT/Tx/T(montant)";
const BUTTON = "/FT/Btn/T(case)/V/Off";
const LIST = "/FT/Ch/Ff 2097152/T(liste)/Opt[(rouge)(vert)(bleu)]";

/** Fields in a second role: filling them would paint. */
const ROLES: Readonly<Record<string, Role>> = {
  "a palette as a field's value": {
    field: `${TEXT}/V[/Indexed/DeviceRGB 1<000000FFFFFF>]`,
    later: `${TEXT}/V[/Indexed/DeviceRGB 1<FFFFFF000000>]`,
    content: PALETTE,
    resources: "/ColorSpace 8 0 R",
  },
  "a colour space as a button's state": {
    field: `${BUTTON}/AS/DeviceRGB`,
    later: `${BUTTON}/AS/DeviceCMYK`,
    content: "/AS cs 1 1 1 sc BT /F1 24 Tf 72 600 Td (FAUX) Tj ET",
    resources: "/ColorSpace 8 0 R",
  },
  "a group that is isolated no longer": {
    field: `${TEXT}/S/Transparency/CS/DeviceRGB/I true`,
    later: `${TEXT}/S/Transparency/CS/DeviceRGB`,
    content: "/X Do",
    resources: "/XObject<</X 20 0 R>>",
    image: stream(
      "1 1 1 rg 0 0 300 300 re f",
      "/Type/XObject/Subtype/Form/BBox[0 0 300 300]/Group 8 0 R",
    ),
  },
  "a text field's value of another type": {
    field: `${TEXT}/V(100)`,
    later: `${TEXT}/V/DeviceRGB`,
    content: PALETTE,
    resources: "",
  },
  "a list's values of another type": {
    field: LIST,
    later: `${LIST}/V[/DeviceRGB/DeviceCMYK]`,
    content: PALETTE,
    resources: "",
  },
};

const withReference =
  (
    entries: (hash: (name: string) => Promise<Uint8Array>) => Promise<readonly Uint8Array[]>,
  ): Attack =>
  async ({ prepared, free }) => {
    const certificate = free.certificates[0] as Uint8Array;
    const hash = async (name: string): Promise<Uint8Array> =>
      new Uint8Array(await crypto.subtle.digest(name, certificate as BufferSource));
    const reference = attribute(
      OID.signingCertificateV2,
      sequence(sequence(sequence(...(await entries(hash))))),
    );
    return signFreely(prepared, {
      cms: (covered) =>
        freeCms(covered, {
          ...free,
          attributes: "without_reference",
          change: (list) => [...list, reference],
        }),
    });
  };

export const ROLE_ATTACKS: Attacks = {
  ...NUMBERS,
  ...Object.fromEntries(
    Object.entries(ROLES).map(([name, role]) => [
      `role: ${name}`,
      (stage: AttackStage) => filledRole(stage, role),
    ]),
  ),
  "a certificate reference of the second version by SHA-1": withReference(async (hash) => [
    sequence(oid(OID.sha1)),
    octetString(await hash("SHA-1")),
  ]),
  "a signature whose field is taken out of the form, the page still showing it": (stage) => {
    const { number, syntax } = lastObject(stage.first, "/SigFlags");
    const hidden = forgedRevision(stage.first, {
      objects: { [number]: swap(syntax, /\/Fields ?\[[^\]]*\]/, "/Fields[]") },
    });
    return signFreely(hidden, {
      fieldName: "second",
      cms: (covered) => sealed({ signer: stage.bob, tsa: stage.pki.tsa }, covered),
    });
  },
};

/** The same without the second role stays valid. */
export const HONEST_ROLES: Attacks = {
  "a file whose first object has another number": fromTwo((catalog) => catalog),
  "a certificate reference of the second version that names SHA-256": withReference(
    async (hash) => [sequence(oid(OID.sha256)), octetString(await hash("SHA-256"))],
  ),
  "a certified file whose text field is filled": (stage) =>
    filledRole(stage, { field: TEXT, later: `${TEXT}/V(100)`, content: "", resources: "" }),
  "a certified file whose box is ticked": (stage) =>
    filledRole(stage, {
      field: `${BUTTON}/AS/Off`,
      later: "/FT/Btn/T(case)/V/Yes/AS/Yes",
      content: "",
      resources: "",
    }),
  "a certified file whose list is chosen from": (stage) =>
    filledRole(stage, {
      field: LIST,
      later: `${LIST}/V[(rouge)(bleu)]/I[0 2]`,
      content: "",
      resources: "",
    }),
};
