import { beforeAll, expect, test } from "vitest";
import { PdfDict, PdfRef, PdfStream, PdfString } from "@libpdf/core";
import { archiveWith } from "../../testing/archive.ts";
import { PREFIX, ownFields, prepareAll, signAs } from "../../testing/sign-flow.ts";
import { signFreely } from "../../testing/sign-freely.ts";
import { smallPdf, streamXrefPdf } from "../../testing/small-pdf.ts";
import { TEST_NOW, type TestPki, createTestPki, trusting } from "../../testing/test-pki.ts";
import { toHex } from "../asn1/der-reader.ts";
import { OID } from "../asn1/oids.ts";
import { digest } from "../cryptography.ts";
import { parseSignedData } from "../cms/signed-data.ts";
import { type FormField, formFields, signedFields } from "../pdf/form-fields.ts";
import {
  type OpenPdf,
  arrayAt,
  dictAt,
  follow,
  nameAt,
  numberAt,
  openPdf,
  textAt,
} from "../pdf/open-pdf.ts";
import { writeObject } from "../pdf/write-object.ts";
import { validate } from "../validate/validate.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { longTermNeeds, prepareDocumentTimestamp } from "./long-term.ts";
import { formReference } from "./prepare-fields.ts";

/** Changed by filling and signing; everything else of a field is final once prepared. */
const CHANGING = new Set(["V", "AP"]);
let pki: TestPki;
let original: Uint8Array;
let revisions: readonly Uint8Array[];

beforeAll(async () => {
  pki = await createTestPki();
  original = smallPdf({
    rotate: 90,
    pageExtra: "/Annots[6 0 R]",
    objects: { 6: "<</Type/Annot/Subtype/Link/Rect[1 1 2 2]>>" },
  });
  const [alice, bob] = await Promise.all([
    pki.issue({ commonName: "Martin, Alice" }),
    pki.issue({ commonName: "Bob" }),
  ]);
  const prepared = await prepareAll(original);
  const first = await signAs(prepared, { signer: alice, tsa: pki.tsa, ownerKey: "alice" });
  const second = await signAs(first, { signer: bob, tsa: pki.tsa, ownerKey: "bob" });
  const archived = await archiveWith(pki, second, TEST_NOW);
  revisions = [
    original,
    prepared,
    first,
    second,
    archived,
    await archiveWith(pki, archived, TEST_NOW),
  ];
});

const opened = (index: number): Promise<OpenPdf> => openPdf(revisions[index] ?? new Uint8Array());
const pageOf = (open: OpenPdf): PdfDict =>
  follow(open, open.pdf.context.pages.getPage(0) ?? undefined) as PdfDict;

test("every revision is an exact prefix of the next", () => {
  for (const [index, bytes] of revisions.slice(1).entries()) {
    const before = revisions[index] ?? new Uint8Array();
    expect(Buffer.compare(bytes.subarray(0, before.length), before), `revision ${index + 1}`).toBe(
      0,
    );
    expect(bytes.length).toBeGreaterThan(before.length);
  }
});

test("direct array items of an unsigned file become objects on every page; a signed file keeps them", async () => {
  const link = "<</Type/Annot/Subtype/Link/Rect[1 1 2 2]/A<</S/URI/URI(https://exemple.fr)>>>>";
  const file = smallPdf({
    pageExtra: `/Annots[${link}]`,
    catalogExtra: "/AcroForm<</Fields[<</FT/Tx/T(libre)>>]>>",
    objects: {
      2: "<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>",
      6: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Annots 7 0 R>>`,
      7: `[${link}]`,
    },
  });
  const directOnes = (open: OpenPdf): number => {
    const lists = open.pdf.context.pages
      .getPages()
      .map((ref) => arrayAt(open, follow(open, ref) as PdfDict, "Annots"));
    const fields = arrayAt(open, dictAt(open, open.catalog, "AcroForm") as PdfDict, "Fields");
    return [...lists, fields]
      .flatMap((list) => list?.toArray() ?? [])
      .filter((item) => !(item instanceof PdfRef)).length;
  };
  const prepared = await prepareAll(file);
  expect(directOnes(await openPdf(file))).toBe(3);
  expect(directOnes(await openPdf(prepared))).toBe(0);
  const signedElsewhere = await signFreely(file, { cms: async () => new Uint8Array(9) });
  const before = directOnes(await openPdf(signedElsewhere));
  expect(directOnes(await openPdf(await prepareAll(signedElsewhere)))).toBe(before);
});

test("each prepared field is one object, field and widget, after the existing entries of form and page", async () => {
  const open = await opened(1);
  const listed = arrayAt(open, pageOf(open), "Annots")?.toArray().map(writeObject) ?? [];
  expect(listed[0]).toBe("6 0 R");
  for (const { dict, ref, name } of formFields(open)) {
    expect(
      [nameAt(open, dict, "Type"), nameAt(open, dict, "Subtype"), dict.has("Kids")],
      name,
    ).toEqual(["Annot", "Widget", false]);
    expect(listed).toContain(ref ? writeObject(ref) : "");
    expect(dict.get("P")).toEqual(open.pdf.context.pages.getPage(0));
  }
});

test("prepared fields have a dotless name, print and read-only flags, the page's rotation, a tooltip, an empty appearance", async () => {
  const open = await opened(1);
  for (const { dict, type, name } of formFields(open)) {
    expect(name.startsWith(`${PREFIX}_`) && !name.includes("."), name).toBe(true);
    expect(numberAt(open, dict, "F"), name).toBe(type === "Sig" ? 132 : 4);
    expect((numberAt(open, dict, "Ff") ?? 0) & 1, name).toBe(type === "Sig" ? 0 : 1);
    expect(numberAt(open, dictAt(open, dict, "MK") ?? dict, "R"), name).toBe(90);
    expect(textAt(open, dict, "TU")).toMatch(/^Champ /);
    const look = follow(open, dictAt(open, dict, "AP")?.get("N"));
    expect(
      [
        dictAt(open, dict, "AP")?.get("N") instanceof PdfRef,
        look instanceof PdfStream && look.data.length,
      ],
      name,
    ).toEqual([true, 0]);
  }
});

test("each signer's Lock is an indirect dictionary over their fields, and all share one font of the form", async () => {
  const open = await opened(1);
  const locks = formFields(open).flatMap(({ dict }) =>
    dict.has("Lock") ? [dict.get("Lock")] : [],
  );
  expect(locks.map((lock) => lock instanceof PdfRef)).toEqual([true, true]);
  const form = dictAt(open, open.catalog, "AcroForm") ?? new PdfDict();
  const fonts = dictAt(open, dictAt(open, form, "DR") ?? form, "Font");
  expect([...(fonts?.keys() ?? [])].map(({ value }) => value)).toEqual(["PsF"]);
  expect([
    numberAt(open, form, "SigFlags"),
    textAt(open, form, "DA"),
    form.has("NeedAppearances"),
  ]).toEqual([3, "/PsF 0 Tf 0 g", false]);
});

const byName = (open: OpenPdf): Map<string, FormField> =>
  new Map(formFields(open).map((field) => [field.name, field]));

test("a signing revision changes value and appearance of the signer's own fields alone", async () => {
  const [before, after] = [await opened(1), await opened(2)];
  const then = byName(before);
  const own = new Set(ownFields("alice").map(({ name }) => `${PREFIX}_${name}`));
  for (const [name, { dict }] of byName(after)) {
    const old = then.get(name)?.dict ?? new PdfDict();
    const keys = new Set([...dict.keys(), ...old.keys()].map(({ value }) => value));
    const changed = [...keys].filter(
      (key) =>
        writeObject(dict.get(key) ?? new PdfDict()) !== writeObject(old.get(key) ?? new PdfDict()),
    );
    const isOwn = own.has(name) || name.endsWith("signature_alice");
    expect(
      changed.filter((key) => !CHANGING.has(key)),
      name,
    ).toEqual([]);
    expect(changed.includes("AP"), name).toBe(isOwn);
  }
});

test("values are written as ASCII, or as UTF-16 with a byte order mark", async () => {
  const open = await opened(2);
  for (const { dict, type, name } of formFields(open)) {
    const value = follow(open, dict.get("V"));
    if (type !== "Tx" || !(value instanceof PdfString)) continue;
    const isAscii = value.bytes.every((byte) => byte < 0x80);
    expect(isAscii || (value.bytes[0] === 0xfe && value.bytes[1] === 0xff), name).toBe(true);
  }
});

test("a signing revision carries a CMS of three signed attributes, SHA-256, and a time-stamp; a comma in the name adds no attribute", async () => {
  const open = await opened(2);
  const contents = follow(open, signedFields(open)[0]?.value.get("Contents"));
  const signed = parseSignedData(
    contents instanceof PdfString ? contents.bytes : new Uint8Array(),
    "allowed",
  );
  expect([...signed.signedAttributes.keys()].toSorted()).toEqual(
    [OID.contentType, OID.messageDigest, OID.signingCertificateV2].toSorted(),
  );
  expect([signed.digestOid, signed.contentType, signed.content]).toEqual([
    OID.sha256,
    OID.data,
    null,
  ]);
  expect([...signed.unsignedAttributes.keys()]).toEqual([OID.signatureTimestamp]);
  const names = signed.certificates.map((der) => parseCertificate(der).subject.commonName);
  expect(names.toSorted()).toEqual(["Martin, Alice", "Paraphe Test CA"]);
});

test("a file with fields or a signature of the same name prefix takes no fields again", async () => {
  for (const again of [revisions[1], revisions[2]])
    await expect(prepareAll(again ?? new Uint8Array())).rejects.toMatchObject({
      code: "pdf_of_this_envelope",
    });
});

test("a document time-stamp has an invisible locked field, and VRI keys are the SHA-1 of each whole padded value", async () => {
  const open = await opened(4);
  const stamp = signedFields(open).at(-1);
  expect(
    stamp && [writeObject(stamp.dict.get("Rect") ?? stamp.dict), numberAt(open, stamp.dict, "F")],
  ).toEqual(["[0 0 0 0]", 132]);
  const store = dictAt(open, open.catalog, "DSS") ?? new PdfDict();
  const keys = [...(dictAt(open, store, "VRI")?.keys() ?? [])].map(({ value }) => value);
  const expected: string[] = [];
  for (const { value } of signedFields(open).slice(0, -1)) {
    const contents = follow(open, value.get("Contents"));
    if (contents instanceof PdfString)
      expected.push(toHex(await digest("SHA-1", contents.bytes)).toUpperCase());
  }
  expect(keys.toSorted()).toEqual(expected.toSorted());
});

test("a document time-stamp leaves pages and earlier fields unchanged", async () => {
  const [before, after] = [await opened(3), await opened(4)];
  expect(writeObject(pageOf(after))).toBe(writeObject(pageOf(before)));
  const now = formFields(after);
  for (const [index, { name, dict }] of formFields(before).entries()) {
    expect([now[index]?.name, writeObject(now[index]?.dict ?? dict)]).toEqual([
      name,
      writeObject(dict),
    ]);
  }
});

test("a rewritten page keeps its exact numbers", async () => {
  const matrix = "[0.0000001 0.41239079926595934 -0.000000012345 .5 12345678.875 2147483647]";
  const prepared = await openPdf(
    await prepareAll(
      smallPdf({ pageExtra: `/PieceInfo<</M${matrix}/Large 3000000000000000000000000>>` }),
    ),
  );
  const held = dictAt(prepared, pageOf(prepared), "PieceInfo") ?? new PdfDict();
  const numbers = (arrayAt(prepared, held, "M")?.toArray() ?? []).map((item) =>
    Number(writeObject(item)),
  );
  expect(numbers).toEqual([
    1e-7, 0.41239079926595934, -1.2345e-8, 0.5, 12_345_678.875, 2_147_483_647,
  ]);
  expect(Number(/\/Large (\d+)>>$/.exec(writeObject(held))?.[1])).toBe(3e24);
});

test("each revision keeps the file's style of cross-reference", async () => {
  const alice = await pki.issue({ commonName: "Alice" });
  for (const [bytes, style] of [
    [streamXrefPdf(), "stream"],
    [smallPdf(), "table"],
  ] as const) {
    let revision = await prepareAll(bytes);
    expect((await openPdf(revision)).xrefStyle).toBe(style);
    revision = await signAs(revision, { signer: alice, tsa: pki.tsa, ownerKey: "alice" });
    expect((await openPdf(revision)).xrefStyle).toBe(style);
    expect((await openPdf(await archiveWith(pki, revision, TEST_NOW))).xrefStyle).toBe(style);
  }
});

test("the core never uses the network", async () => {
  const asked: unknown[] = [];
  const real = globalThis.fetch;
  globalThis.fetch = ((...request: unknown[]) => {
    asked.push(request);
    return Promise.reject(new Error("no network"));
  }) as typeof fetch;
  try {
    const archived = revisions[4] ?? new Uint8Array();
    await validate(archived, {
      evidence: trusting(pki.root.certificates),
      now: TEST_NOW,
      policy: { revocation: "required" },
    });
    await longTermNeeds(archived, trusting(pki.root.certificates));
  } finally {
    globalThis.fetch = real;
  }
  expect(asked).toEqual([]);
});

beforeAll(async () => {
  pki = await createTestPki();
});
const bothInOne = smallPdf({
  catalogExtra: "/AcroForm 30 0 R",
  trailerExtra: "/Info 30 0 R",
  objects: { 30: "<</Producer(PyPDF2)/NeedAppearances true/Fields[]>>" },
});

test("a form that is also the information dictionary gets its own object, and the file stays valid", async () => {
  const alice = await pki.issue({ commonName: "Alice" });
  const prepared = await prepareAll(bothInOne);
  const open = await openPdf(prepared);
  expect(writeObject(open.catalog.get("AcroForm") ?? open.catalog)).not.toBe("30 0 R");
  expect(formReference(open)).toBe(open.catalog.getRef("AcroForm"));
  const signed = await signAs(prepared, { signer: alice, tsa: pki.tsa, ownerKey: "alice" });
  const report = await validate(await archiveWith(pki, signed, TEST_NOW), {
    evidence: trusting(pki.root.certificates),
    now: TEST_NOW,
  });
  expect(report).toMatchObject({ indication: "TOTAL_PASSED", problems: [] });
});

test("a document time-stamp leaves such an information dictionary unchanged", async () => {
  const stamped = await openPdf((await prepareDocumentTimestamp(bothInOne)).bytes);
  const before = await openPdf(bothInOne);
  const information = [before, stamped].map((open) => {
    const found = open.pdf.context.resolve(open.trailer.getRef("Info") ?? open.catalogRef);
    return found && writeObject(found);
  });
  expect(information[1]).toBe(information[0]);
});

const LONG_STROKE = Array.from(
  { length: 400 },
  (_, index) => [index / 200, 0.5 + 0.4 * Math.sin(index / 5), 0.5] as const,
);

/**
 * DSS takes a filter on an appearance that had none for a change that no form filling makes, and
 * reports it of every earlier signature.
 */
test("a long drawing is deflated in a form of its own, never in the appearance", async () => {
  const pki = await createTestPki();
  const long = ownFields("alice").map((field) =>
    field.type === "text" ? { ...field, value: "Lu et approuvé. ".repeat(400) } : field,
  );
  const signed = await signAs(await prepareAll(smallPdf()), {
    signer: await pki.issue({ commonName: "Alice" }),
    ownerKey: "alice",
    options: { ownFields: long, mark: { kind: "strokes", strokes: [LONG_STROKE] } },
  });
  const open = await openPdf(signed);
  const looks = formFields(open).map(
    ({ dict }) => follow(open, dictAt(open, dict, "AP")?.get("N")) as PdfStream,
  );
  expect(looks.map((look) => look.has("Filter"))).toEqual(looks.map(() => false));
  const drawings = looks.flatMap((look) => {
    const resources = dictAt(open, look, "Resources");
    const drawing = follow(
      open,
      (resources ? dictAt(open, resources, "XObject") : undefined)?.get("Drawing"),
    );
    return drawing instanceof PdfDict ? [drawing] : [];
  });
  expect(drawings.length).toBeGreaterThanOrEqual(2);
  for (const drawing of drawings) expect(drawing.has("Filter")).toBe(true);
});
