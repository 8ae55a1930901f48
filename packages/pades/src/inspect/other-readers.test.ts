import { describe, expect, test } from "vitest";
import { HIDDEN_OBJECT, sealed } from "../../testing/attack-stage.ts";
import { UNLISTED, UNSIGNED, WITHOUT_RANGE } from "../../testing/attacks-unlisted.ts";
import { forgedRevision, lastObject, latin } from "../../testing/forge.ts";
import { packedPdf } from "../../testing/packed-pdf.ts";
import { signFreely } from "../../testing/sign-freely.ts";
import { type SmallPdfOptions, smallPdf } from "../../testing/small-pdf.ts";
import { createTestPki } from "../../testing/test-pki.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { nameAt, openPdf } from "../pdf/open-pdf.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { normalisePdf } from "./normalise-pdf.ts";
import { eachDict } from "../pdf/walk-objects.ts";

const stream = (data: string, entries = ""): string =>
  `<<${entries}/Length ${data.length}>>\nstream\n${data}\nendstream`;
const shown = (object: string): Uint8Array =>
  smallPdf({ pageExtra: "/PieceInfo<</X 20 0 R>>", objects: { 20: object } });
const IMAGE =
  "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray";
const codes = async (bytes: Uint8Array): Promise<readonly string[]> =>
  (await inspectPdf(bytes)).findings.map(({ code }) => code);

async function signed(bytes: Uint8Array): Promise<Uint8Array> {
  const pki = await createTestPki();
  const signer = await pki.issue({ commonName: "Alice" });
  return signFreely(bytes, { cms: (covered) => sealed({ signer, tsa: pki.tsa }, covered) });
}

describe("what two readers would show differently", () => {
  test.each([
    ["an object in a stream", stream(HIDDEN_OBJECT), "structure_rebuilt"],
    ["an object in a string", `<</X(\n${HIDDEN_OBJECT})>>`, "structure_rebuilt"],
    ["an object in a string of an array", `<</X[(\n${HIDDEN_OBJECT})]>>`, "structure_rebuilt"],
    [
      "a stream whose data is in another file",
      stream("BT ET", "/F(autre.bin)/FFilter/FlateDecode"),
      "external_action",
    ],
    [
      "a form that stands for a page of another file",
      stream("", "/Subtype/Form/BBox[0 0 9 9]/Ref<</F(a.pdf)/Page 0>>"),
      "external_action",
    ],
    [
      "an image that is printed as another one",
      stream("x", `${IMAGE}/Alternates[<</Image 4 0 R>>]`),
      "alternate_images",
    ],
  ])("%s is a finding, and the copy looks the same everywhere", async (_name, object, code) => {
    const bytes = shown(object);
    const found = await inspectPdf(bytes);
    expect(found.findings.map((finding) => finding.code)).toEqual([code]);
    expect(found.result).toBe("fixable");
    const copy = await normalisePdf(bytes);
    expect(await codes(copy)).toEqual([]);
    expect(latin(copy)).not.toContain("4 0 obj\n<</Length 35");
  });

  const page = "/Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>";
  const look = stream(
    "BT /F1 24 Tf 72 700 Td (FAUX) Tj ET",
    "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>",
  );
  const annotated = (entries: string): SmallPdfOptions => ({
    pageExtra: "/Annots[7 0 R]",
    objects: { 7: `<</Type/Annot${entries}/Rect[0 0 595 842]/AP<</N 8 0 R>>>>`, 8: look },
  });
  test.each<[string, SmallPdfOptions, string]>([
    [
      "a key twice",
      { objects: { 3: `<<${page}/Contents 4 0 R/Contents 6 0 R>>`, 6: stream("BT ET") } },
      "structure_rebuilt",
    ],
    [
      "a key twice, once in digits",
      { objects: { 3: `<<${page}/Contents 4 0 R/Content#73 6 0 R>>`, 6: stream("BT ET") } },
      "structure_rebuilt",
    ],
    [
      "a key twice, deep inside",
      { objects: { 6: "<</A[1 0 R<</B% remark\n true/B 2 0 R>>]>>" } },
      "structure_rebuilt",
    ],
    [
      "a stream that is longer than it says",
      {
        objects: { 4: "<</Length 10>>\nstream\nBT /F1 24 Tf 72 700 Td (Contrat) Tj ET\nendstream" },
      },
      "structure_rebuilt",
    ],
    [
      "a stream that is shorter than it says",
      { objects: { 4: "<</Length 900>>\nstream\nBT ET\nendstream" } },
      "structure_rebuilt",
    ],
    ["a portfolio", { catalogExtra: "/Collection<</Type/Collection/D(a.pdf)>>" }, "portfolio"],
    ["a link with a look", annotated("/Subtype/Link"), "hidden_layers"],
    ["a note's window with a look", annotated("/Subtype/Popup"), "hidden_layers"],
    ["an annotation of no kind, with a look", annotated(""), "hidden_layers"],
  ])("%s is a finding, and the copy has one reading", async (_name, options, code) => {
    const bytes = smallPdf(options);
    expect(await codes(bytes)).toEqual([code]);
    expect(await codes(await normalisePdf(bytes))).toEqual([]);
  });

  test("an object written again where no table leads is a finding, an update is not", async () => {
    const whole = latin(smallPdf());
    const at = whole.indexOf("xref\n0 1");
    const again = `4 0 obj\n${stream("BT /F1 24 Tf 72 700 Td (FAUX) Tj ET")}\nendobj\n`;
    const hidden = latinBytes(
      whole.slice(0, at) +
        again +
        whole.slice(at).replace(/startxref\n\d+/, `startxref\n${at + again.length}`),
    );
    expect(await codes(hidden)).toEqual(["structure_rebuilt"]);
    const copy = await normalisePdf(hidden);
    expect(await codes(copy)).toEqual([]);
    expect(latin(copy)).not.toContain("FAUX");
    expect(await codes(forgedRevision(smallPdf(), { objects: { 4: stream("BT ET") } }))).toEqual(
      [],
    );
  });

  test("a duplicate key in an object stream is a finding, the same key in two dictionaries is not", async () => {
    expect(await codes(packedPdf({ more: new Map([[8, "<</A 1/A 2>>"]]) }))).toEqual([
      "structure_rebuilt",
    ]);
    expect(
      await codes(packedPdf({ more: new Map([[8, "<</A<</A[/A/A<</A 1>>]>>/B(/A)>>"]]) })),
    ).toEqual([]);
  });

  test("pages below a page are refused, as readers differ on them", async () => {
    const kids = {
      3: `<<${page}/Contents 4 0 R/Kids[7 0 R]/Count 1>>`,
      7: "<</Type/Page/Parent 3 0 R/MediaBox[0 0 9 9]>>",
    };
    await expect(inspectPdf(smallPdf({ objects: kids }))).rejects.toMatchObject({
      code: "pdf_damaged",
    });
  });

  test("a link keeps its target when its appearance becomes part of the page", async () => {
    const copy = await openPdf(
      await normalisePdf(smallPdf(annotated("/Subtype/Link/A<</S/URI/URI(https://exemple.fr)>>"))),
    );
    const [link] = [...eachDict(copy)].filter((dict) => nameAt(copy, dict, "Subtype") === "Link");
    expect([link?.has("A"), link?.has("AP")]).toEqual([true, false]);
  });

  test("an object in the data of an unused stream is a finding", async () => {
    const bytes = smallPdf({ objects: { 20: stream(HIDDEN_OBJECT) } });
    expect(await codes(bytes)).toEqual(["structure_rebuilt"]);
    expect(await codes(await normalisePdf(bytes))).toEqual([]);
  });

  test("an object in an uncompressed object stream is a finding, in a compressed one it is not", async () => {
    const note = `<</X(\n${HIDDEN_OBJECT})>>`;
    const plain = packedPdf({ more: new Map([[8, note]]) });
    expect(await codes(plain)).toEqual(["structure_rebuilt"]);
    const copy = await normalisePdf(plain);
    expect(await codes(copy)).toEqual([]);
    expect(latin(copy)).not.toContain("4 0 obj\n<</Length 35");
    expect(await codes(packedPdf({ more: new Map([[8, note]]), pack: "hexadecimal" }))).toEqual([]);
    expect(await codes(packedPdf())).toEqual([]);
  });

  test("a signed file with two readings has a finding and stays unchanged", async () => {
    const { findings, result } = await inspectPdf(await signed(shown(stream(HIDDEN_OBJECT))));
    expect(result).toBe("ok");
    expect(findings.map(({ code }) => code)).toContain("structure_rebuilt");
  });

  test("data that mention objects are no object", async () => {
    expect(await codes(shown(stream("12 objets, 3 trailers; endobj, xref")))).toEqual([]);
  });
});

describe("a signature that no field lists", () => {
  test("a signature that no field lists is refused where the page shows it", async () => {
    const whole = await signed(smallPdf());
    const { number, syntax } = lastObject(whole, "/SigFlags");
    const hidden = forgedRevision(whole, {
      objects: { [number]: syntax.replace(/\/Fields ?\[[^\]]*\]/, "/Fields[]") },
    });
    expect((await inspectPdf(whole)).signatureCount).toBe(1);
    await expect(inspectPdf(hidden)).rejects.toMatchObject({ code: "pdf_unverifiable_signatures" });
  });

  test.each(Object.entries(UNLISTED))(
    "a signature that no field lists is refused as unverifiable: %s",
    async (_name, options) => {
      await expect(inspectPdf(smallPdf(options))).rejects.toMatchObject({
        code: "pdf_unverifiable_signatures",
      });
    },
  );

  test("the value of a listed field without a ByteRange is an invalid signature", async () => {
    await expect(inspectPdf(smallPdf(WITHOUT_RANGE))).rejects.toMatchObject({
      code: "pdf_invalid_signatures",
    });
  });

  test.each(Object.entries(UNSIGNED))("this is no unlisted signature: %s", async (_name, options) => {
    expect(await inspectPdf(smallPdf(options))).toMatchObject({ result: "ok", signatureCount: 0 });
  });

  test("an unlisted signature is found on the shown field's parent", async () => {
    const bytes = smallPdf({
      catalogExtra: "/AcroForm<</Fields[8 0 R]/SigFlags 3>>",
      pageExtra: "/Annots[12 0 R]",
      objects: {
        8: "<</FT/Sig/T(p)/V 9 0 R/Kids[12 0 R]>>",
        9: "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/ByteRange[0 10 20 30]/Contents<00>>>",
        12: "<</T(k)/Parent 8 0 R/Type/Annot/Subtype/Widget/Rect[0 0 0 0]>>",
      },
    });
    await expect(inspectPdf(bytes)).rejects.toMatchObject({ code: "pdf_invalid_signatures" });
  });

  test("usage rights are no unlisted signature", async () => {
    const bytes = smallPdf({
      catalogExtra: "/Perms<</UR3 9 0 R>>",
      objects: { 9: "<</Type/Sig/ByteRange[0 10 20 30]/Contents<00>>>" },
    });
    expect(await codes(bytes)).toEqual([]);
  });
});
