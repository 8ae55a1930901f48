import { expect, test } from "vitest";
import { deflateSync } from "node:zlib";
import { archiveWith } from "../../testing/archive.ts";
import { forgedRevision, latin } from "../../testing/forge.ts";
import { signFreely } from "../../testing/sign-freely.ts";
import { PLACEMENTS, prepareAll, signAs } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { TEST_NOW, createTestPki } from "../../testing/test-pki.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { normalisePdf } from "./control-pdf.ts";

const codes = async (bytes: Uint8Array): Promise<string[]> =>
  (await inspectPdf(bytes)).findings.map(({ code }) => code);

function manyPages(count: number): Uint8Array {
  const numbers = Array.from({ length: count }, (_, index) => 10 + index);
  const pages = Object.fromEntries(
    numbers.map((number) => [number, "<</Type/Page/Parent 2 0 R>>"]),
  );
  const kids = numbers.map((number) => `${number} 0 R`).join(" ");
  return smallPdf({
    objects: { ...pages, 2: `<</Type/Pages/MediaBox[0 0 9 9]/Kids[${kids}]/Count ${count}>>` },
  });
}

test("the inspection gives the displayed size of each page", async () => {
  expect(await inspectPdf(smallPdf({ rotate: 90, cropBox: "100 150 500 700" }))).toEqual({
    pageCount: 1,
    pages: [{ width: 550, height: 400, rotation: 90 }],
    takenOnLastPage: [],
    formPlaces: [],
    covered: [],
    signatureCount: 0,
    canUpdateIncrementally: true,
    result: "ok",
    findings: [],
  });
  expect((await inspectPdf(smallPdf({ rotate: 450, userUnit: 2 }))).pages).toEqual([
    { width: 1684, height: 1190, rotation: 90 },
  ]);
  // Readers ignore any other turn, and show a page without a box, or with an empty one, as US
  // Letter.
  for (const rotate of [45, 89.9])
    expect((await inspectPdf(smallPdf({ rotate }))).pages).toEqual([
      { width: 595, height: 842, rotation: 0 },
    ]);
  for (const box of ["", "/MediaBox[0 0 0 0]"]) {
    const page = `<</Type/Page/Parent 2 0 R${box}/Contents 4 0 R>>`;
    expect((await inspectPdf(smallPdf({ objects: { 3: page } }))).pages).toEqual([
      { width: 612, height: 792, rotation: 0 },
    ]);
  }
  const endless = smallPdf({
    objects: {
      3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99999999999999999999 842]/Contents 4 0 R>>",
    },
  });
  await expect(inspectPdf(endless)).rejects.toMatchObject({ code: "pdf_damaged" });
  expect((await inspectPdf(smallPdf({ inherited: true, rotate: -90 }))).pages).toEqual([
    { width: 842, height: 595, rotation: 270 },
  ]);
});

test("a file with megabytes of comments after its end is rebuilt; a truncated one is refused", async () => {
  const commented = new Uint8Array(
    Buffer.concat([smallPdf(), latinBytes(`% rien\r\n%${"x".repeat(9_000_000)}\n`)]),
  );
  expect(await inspectPdf(commented)).toMatchObject({
    result: "fixable",
    findings: [{ code: "structure_rebuilt" }],
  });
  expect((await inspectPdf(await normalisePdf(commented))).result).toBe("ok");
  const cut = new Uint8Array([...smallPdf(), ...latinBytes(`9 0 obj (${"x".repeat(4_000)}`)]);
  await expect(inspectPdf(cut)).rejects.toMatchObject({ code: "pdf_damaged" });
});

test("a document time-stamp is no signature, and has its own finding when it stands alone", async () => {
  const pki = await createTestPki();
  const stamped = await archiveWith(pki, smallPdf(), TEST_NOW);
  const signed = await signAs(await prepareAll(smallPdf()), {
    signer: await pki.issue({ commonName: "Alice" }),
    ownerKey: "alice",
  });
  const archived = await archiveWith(pki, signed, TEST_NOW);
  const twice = await archiveWith(pki, stamped, TEST_NOW);
  expect((await inspectPdf(stamped)).findings).toEqual([{ code: "existing_timestamps", count: 1 }]);
  expect((await inspectPdf(twice)).findings).toEqual([{ code: "existing_timestamps", count: 2 }]);
  expect((await inspectPdf(archived)).findings).toContainEqual({
    code: "existing_signatures",
    count: 1,
  });
});

test("the inspection counts sound signatures", async () => {
  const pki = await createTestPki();
  const signed = await signAs(await prepareAll(smallPdf()), {
    signer: await pki.issue({ commonName: "Alice" }),
    tsa: pki.tsa,
    ownerKey: "alice",
  });
  expect(await inspectPdf(signed)).toMatchObject({ signatureCount: 1, result: "ok" });
  const broken = latinBytes(latin(signed).replace("Contrat", "Contrad"));
  await expect(inspectPdf(broken)).rejects.toMatchObject({ code: "pdf_invalid_signatures" });
});

test.each([
  ["javascript", { catalogExtra: "/OpenAction<</S/J#61vaScript/JS(1)>>" }],
  ["launch_action", { catalogExtra: "/OpenAction 6 0 R", objects: { 6: "<</S/Launch/F(x)>>" } }],
  ["external_action", { pageExtra: "/Annots[<</Subtype/Link/A<</S/GoToR/F(x.pdf)>>>>]" }],
  ["javascript", { catalogExtra: "/OpenAction<</Type/Foo/S/JavaScript/JS(app.alert(1))>>" }],
  ["javascript", { catalogExtra: "/OpenAction<</S/Rendition/OP 0/JS(app.alert(1))>>" }],
  ["launch_action", { catalogExtra: "/OpenAction<</Type/Annot/S/Launch/F(cmd.exe)>>" }],
  ["external_action", { catalogExtra: "/OpenAction<</S/Thread/F(x.pdf)/D 0>>" }],
  [
    "external_action",
    { pageExtra: "/Annots[<</Subtype/Link/A<</S/URI/URI(java script:app.alert\\(1\\))>>>>]" },
  ],
  [
    "external_action",
    { pageExtra: "/Annots[<</Subtype/Link/A<</S/URI/URI(file:///etc/passwd)>>>>]" },
  ],
  [
    "attachments",
    {
      catalogExtra: "/Names<</EmbeddedFiles<</Names[(a)6 0 R]>>>>",
      objects: {
        6: "<</F(facture.xml)/EF<</F 7 0 R>>>>",
        7: "<</Length 5>>\nstream\n<xml>\nendstream",
      },
    },
  ],
  [
    "hidden_layers",
    {
      catalogExtra: "/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]>>>>",
      objects: { 6: "<</Type/OCG/Name(x)>>" },
    },
  ],
  ["existing_form", { catalogExtra: "/AcroForm<</Fields[<</FT/Tx/T(a)>>]>>" }],
  ["static_xfa", { catalogExtra: "/AcroForm<</Fields[<</FT/Tx/T(a)>>]/XFA(x)>>" }],
  ["multimedia", { pageExtra: "/Annots[<</Subtype/RichMedia>>]" }],
])("the inspection finds %s", async (code, options) => {
  expect(await codes(smallPdf(options as Parameters<typeof smallPdf>[0]))).toContain(code);
});

test.each(["constructor", "__proto__"])("an action named %s is no finding", async (kind) => {
  expect(
    await codes(smallPdf({ pageExtra: `/Annots[<</Subtype/Link/A<</S/${kind}>>>>]` })),
  ).toEqual([]);
});

/** Gives a stream that inflates to so many zeros, deflated once or twice. */
function inflating(megabytes: number, layers: 1 | 2): Uint8Array {
  let data: Uint8Array = deflateSync(new Uint8Array(megabytes << 20));
  if (layers === 2) data = deflateSync(data);
  const filter = layers === 1 ? "/FlateDecode" : "[/FlateDecode/FlateDecode]";
  const stream = `<</Filter ${filter}/Length ${data.length}>>\nstream\n${latin(data)}\nendstream`;
  return smallPdf({ objects: { 6: stream } });
}

/** A catalog in an object stream has a script whose names are written otherwise. */
function scriptInObjectStream(): Uint8Array {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R/OpenAction 3 0 R>>",
    "<</S/J#61vaScript/#4a#53(1)>>",
  ];
  const head = `1 0 3 ${objects[0]?.length} `;
  const packed = deflateSync(Buffer.from(head + objects.join("")));
  const parts = ["%PDF-1.7\n"];
  const offsets: Record<number, number> = {};
  const add = (number: number, body: string): void => {
    offsets[number] = parts.join("").length;
    parts.push(`${number} 0 obj\n${body}\nendobj\n`);
  };
  add(2, "<</Type/Pages/Kids[4 0 R]/Count 1>>");
  add(4, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>");
  add(
    5,
    `<</Type/ObjStm/N 2/First ${head.length}/Filter/FlateDecode/Length ${packed.length}>>\nstream\n${latin(packed)}\nendstream`,
  );
  const start = parts.join("").length;
  const row = (type: number, first: number, second: number): number[] => [
    type,
    first >> 8,
    first & 255,
    second,
  ];
  const place = (number: number): number => offsets[number] ?? 0;
  const rows = [
    row(0, 0, 0),
    row(2, 5, 0),
    row(1, place(2), 0),
    row(2, 5, 1),
    row(1, place(4), 0),
    row(1, place(5), 0),
    row(1, start, 0),
  ];
  const table = latin(Uint8Array.from(rows.flat()));
  parts.push(
    `6 0 obj\n<</Type/XRef/W[1 2 1]/Size 7/Root 1 0 R/Length ${table.length}>>\nstream\n${table}\nendstream\nendobj\n`,
  );
  return latinBytes(`${parts.join("")}startxref\n${start}\n%%EOF\n`);
}

test("an action in an object stream is found, its names written with codes", async () => {
  const bytes = scriptInObjectStream();
  expect(latin(bytes)).not.toContain("JavaScript");
  expect(await inspectPdf(bytes)).toMatchObject({
    result: "fixable",
    findings: [{ code: "javascript" }],
  });
});

test("a link is no finding", async () => {
  expect(
    await codes(smallPdf({ pageExtra: "/Annots[<</Subtype/Link/A<</S/URI/URI(http://x)>>>>]" })),
  ).toEqual([]);
});

test("200 MB inflated are accepted; data deflated twice count once more", async () => {
  expect(await inspectPdf(inflating(60, 2))).toMatchObject({ result: "ok" });
});

test("deep nesting is too complex for the parser and for the walk", async () => {
  for (const depth of [300, 200_000]) {
    const nest = "[".repeat(depth) + "]".repeat(depth);
    await expect(
      inspectPdf(smallPdf({ pageExtra: "/PieceInfo 6 0 R", objects: { 6: nest } })),
    ).rejects.toMatchObject({
      name: "PadesError",
    });
  }
});

test("a file is refused when a later change breaks a signature, or a time-stamp covers other bytes", async () => {
  const pki = await createTestPki();
  const signed = await signAs(await prepareAll(smallPdf()), {
    signer: await pki.issue({ commonName: "Alice" }),
    ownerKey: "alice",
  });
  const changed = forgedRevision(signed, {
    objects: { 5: "<</Type/Font/Subtype/Type1/BaseFont/Symbol>>" },
  });
  const time = (imprint?: Uint8Array): Promise<Uint8Array> =>
    signFreely(smallPdf(), {
      type: "DocTimeStamp",
      subFilter: "ETSI.RFC3161",
      cms: async (covered) =>
        pki.tsa.timestamp(
          imprint ?? new Uint8Array(await crypto.subtle.digest("SHA-256", covered as BufferSource)),
        ),
    });
  await expect(inspectPdf(changed)).rejects.toMatchObject({
    code: "pdf_unverifiable_signatures",
  });
  await expect(inspectPdf(await time(new Uint8Array(32)))).rejects.toMatchObject({
    code: "pdf_invalid_signatures",
  });
  const both = latinBytes(latin(changed).replace("Contrat", "Contrad"));
  await expect(inspectPdf(both)).rejects.toMatchObject({ code: "pdf_invalid_signatures" });
  expect(await inspectPdf(await time())).toMatchObject({ result: "ok", signatureCount: 1 });
});

const encryptedBy = (handler: string): Uint8Array =>
  latinBytes(
    latin(smallPdf()).replace(
      "/Root 1 0 R>>",
      `/Root 1 0 R/ID[(a)(a)]/Encrypt<</Filter/${handler}>>>>`,
    ),
  );

test.each([
  ["not_a_pdf", () => latinBytes("<html>")],
  ["not_a_pdf", () => new Uint8Array()],
  ["pdf_encrypted", () => encryptedBy("Standard/V 9")],
  [
    "pdf_encrypted_for_recipients",
    () => encryptedBy("Adobe.PubSec/SubFilter/adbe.pkcs7.s4/V 2/Recipients[(x)]"),
  ],
  ["pdf_damaged", () => smallPdf().subarray(0, 300)],
  ["pdf_damaged", () => smallPdf({ objects: { 2: "<</Type/Pages/Kids[3 0 R]/Count 7>>" } })],
  ["pdf_damaged", () => smallPdf({ objects: { 2: "<</Type/Pages/Kids[]/Count 0>>" } })],
  [
    "pdf_dynamic_xfa",
    () =>
      smallPdf({
        catalogExtra: "/NeedsRendering true/AcroForm<</Fields[<</FT/Tx/T(a)>>]/XFA(x)>>",
      }),
  ],
  ["pdf_dynamic_xfa", () => smallPdf({ catalogExtra: "/AcroForm<</Fields[]/XFA(x)>>" })],
  [
    "pdf_signing_forbidden",
    () =>
      smallPdf({
        catalogExtra:
          "/Perms<</DocMDP<</Reference[<</TransformMethod/DocMDP/TransformParams<</P 1>>>>]>>>>",
      }),
  ],
  ["pdf_damaged", () => smallPdf({ pageExtra: `/CropBox[0 0 ${"9".repeat(400)} 9]` })],
  ["pdf_too_complex", () => inflating(201, 1)],
  ["pdf_too_complex", () => inflating(201, 2)],
  ["pdf_too_many_pages", () => manyPages(2001)],
  ["pdf_too_complex", () => smallPdf({ catalogExtra: `/X${"[".repeat(300)}${"]".repeat(300)}` })],
  [
    "pdf_dangerous_attachment",
    () =>
      smallPdf({
        catalogExtra: "/AF[6 0 R]",
        objects: {
          6: "<</UF(setup.exe)/EF<</F 7 0 R>>>>",
          7: "<</Length 1>>\nstream\nx\nendstream",
        },
      }),
  ],
  [
    "pdf_dangerous_attachment",
    () =>
      smallPdf({
        catalogExtra: "/AF[6 0 R]",
        objects: {
          6: "<</UF(photo.png)/EF<</F 7 0 R>>>>",
          7: "<</Length 4>>\nstream\nMZ\u0090\u0000\nendstream",
        },
      }),
  ],
  [
    "pdf_dangerous_attachment",
    () =>
      smallPdf({
        pageExtra: "/Annots[<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS 6 0 R>>]",
        objects: {
          6: "<</UF(a.txt)/EF<</Unix 7 0 R>>>>",
          7: "<</Filter/ASCIIHexDecode/Length 9>>\nstream\n7F454C46>\nendstream",
        },
      }),
  ],
])("a file that cannot be signed is refused as %s (%#)", async (code, make) => {
  await expect(inspectPdf(make())).rejects.toMatchObject({ name: "PadesError", code });
});

test.each([
  ["as it is", {}],
  ["turned by 90°", { rotate: 90 }],
  ["turned by 180°", { rotate: 180, cropBox: "20 30 500 700" }],
  ["turned by 270°", { rotate: 270, userUnit: 1.5, inherited: true }],
])("the fields of a page %s are found where they are displayed", async (_, shape) => {
  const { takenOnLastPage, formPlaces } = await inspectPdf(await prepareAll(smallPdf(shape)));
  const rounded = (places: readonly { x: number; y: number; width: number; height: number }[]) =>
    places
      .map(({ x, y, width, height }) => [x, y, width, height].map((value) => value.toFixed(3)))
      .toSorted();
  expect(rounded(takenOnLastPage)).toEqual(rounded(PLACEMENTS));
  expect(rounded(formPlaces)).toEqual(rounded(PLACEMENTS));
  expect(new Set(formPlaces.map(({ pageNumber }) => pageNumber))).toEqual(new Set([1]));
});

test("hidden, empty and invalid rectangles take no place", async () => {
  const annotation = (rest: string) => `<</Type/Annot/Subtype/Link${rest}>>`;
  const pageExtra = `/Annots[${annotation("/F 2/Rect[9 9 99 99]")}${annotation("/Rect[9 9 9 99]")}${annotation("/Rect[9 9 99]")}${annotation("/Rect[9/a 99 99]")}${annotation("/Rect[99 99 9 9]")}]`;
  expect((await inspectPdf(smallPdf({ pageExtra }))).takenOnLastPage).toHaveLength(1);
  expect((await inspectPdf(smallPdf())).takenOnLastPage).toEqual([]);
});

test("links and notes are coverable, fields and signatures are not", async () => {
  const annotation = (subtype: string, left: number) =>
    `<</Type/Annot/Subtype/${subtype}/Rect[${left} 9 ${left + 20} 99]>>`;
  const many = Array.from({ length: 600 }, () => annotation("Link", 300)).join("");
  const pageExtra = `/Annots[${annotation("Link", 10)}${annotation("Widget", 50)}${annotation("FreeText", 90)}${many}${annotation("Widget", 200)}]`;
  const { takenOnLastPage, formPlaces } = await inspectPdf(smallPdf({ pageExtra }));
  expect(formPlaces).toHaveLength(2);
  expect(takenOnLastPage.filter(({ coverable }) => !coverable)).toHaveLength(2);
  expect(takenOnLastPage.filter(({ coverable }) => coverable)).toHaveLength(500);
});

test("the first fields of an endless form are listed", async () => {
  const widgets = Array.from(
    { length: 2_100 },
    () => "<</Type/Annot/Subtype/Widget/Rect[9 9 99 99]>>",
  ).join("");
  const hidden = Array.from(
    { length: 20_001 },
    () => "<</Type/Annot/Subtype/Widget/F 2/Rect[9 9 99 99]>>",
  ).join("");
  expect(
    (await inspectPdf(smallPdf({ pageExtra: `/Annots[${widgets}]` }))).formPlaces,
  ).toHaveLength(2_000);
  expect(
    (await inspectPdf(smallPdf({ pageExtra: `/Annots[${hidden}${widgets}]` }))).formPlaces,
  ).toEqual([]);
});
