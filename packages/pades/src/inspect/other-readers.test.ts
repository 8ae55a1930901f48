import { describe, expect, test } from "vitest";
import { HIDDEN_OBJECT, sealed } from "../../testing/attack-stage.ts";
import { UNLISTED, UNSIGNED, WITHOUT_RANGE } from "../../testing/attacks-unlisted.ts";
import { forgedRevision, lastObject, latin } from "../../testing/forge.ts";
import { packedPdf } from "../../testing/packed-pdf.ts";
import { signFreely } from "../../testing/sign-freely.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { createTestPki } from "../../testing/test-pki.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { normalisePdf } from "./normalise-pdf.ts";

const stream = (data: string, entries = ""): string => `<<${entries}/Length ${data.length}>>\nstream\n${data}\nendstream`;
const shown = (object: string): Uint8Array => smallPdf({ pageExtra: "/PieceInfo<</X 20 0 R>>", objects: { 20: object } });
const IMAGE = "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray";
const codes = async (bytes: Uint8Array): Promise<readonly string[]> => (await inspectPdf(bytes)).findings.map(({ code }) => code);

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
    ["a stream whose data is in another file", stream("BT ET", "/F(autre.bin)/FFilter/FlateDecode"), "external_action"],
    ["a form that stands for a page of another file", stream("", "/Subtype/Form/BBox[0 0 9 9]/Ref<</F(a.pdf)/Page 0>>"), "external_action"],
    ["an image that is printed as another one", stream("x", `${IMAGE}/Alternates[<</Image 4 0 R>>]`), "alternate_images"],
  ])("%s is said, and made to look the same in the copy", async (_name, object, code) => {
    const bytes = shown(object);
    const found = await inspectPdf(bytes);
    expect(found.findings.map((finding) => finding.code)).toEqual([code]);
    expect(found.result).toBe("fixable");
    const copy = await normalisePdf(bytes);
    expect(await codes(copy)).toEqual([]);
    expect(latin(copy)).not.toContain("4 0 obj\n<</Length 35");
  });

  test("an object in a stream that nothing needs is said as well", async () => {
    const bytes = smallPdf({ objects: { 20: stream(HIDDEN_OBJECT) } });
    expect(await codes(bytes)).toEqual(["structure_rebuilt"]);
    expect(await codes(await normalisePdf(bytes))).toEqual([]);
  });

  test("an object in an object stream that is not compressed is said as well, one that is compressed shows nothing", async () => {
    const note = `<</X(\n${HIDDEN_OBJECT})>>`;
    const plain = packedPdf({ more: new Map([[8, note]]) });
    expect(await codes(plain)).toEqual(["structure_rebuilt"]);
    const copy = await normalisePdf(plain);
    expect(await codes(copy)).toEqual([]);
    expect(latin(copy)).not.toContain("4 0 obj\n<</Length 35");
    expect(await codes(packedPdf({ more: new Map([[8, note]]), pack: "hexadecimal" }))).toEqual([]);
    expect(await codes(packedPdf())).toEqual([]);
  });

  test("in a signed file it is said, and kept", async () => {
    const { findings, result } = await inspectPdf(await signed(shown(stream(HIDDEN_OBJECT))));
    expect(result).toBe("ok");
    expect(findings.map(({ code }) => code)).toContain("structure_rebuilt");
  });

  test("data that speaks of objects is nobody's object", async () => {
    expect(await codes(shown(stream("12 objets, 3 trailers; endobj, xref")))).toEqual([]);
  });
});

describe("a signature that no field lists", () => {
  test("is refused where the page still shows it", async () => {
    const whole = await signed(smallPdf());
    const { number, syntax } = lastObject(whole, "/SigFlags");
    const hidden = forgedRevision(whole, { objects: { [number]: syntax.replace(/\/Fields ?\[[^\]]*\]/, "/Fields[]") } });
    expect((await inspectPdf(whole)).signatureCount).toBe(1);
    await expect(inspectPdf(hidden)).rejects.toMatchObject({ code: "pdf_invalid_signatures" });
  });

  test.each([...Object.entries(UNLISTED), ["a listed field's value without a range", WITHOUT_RANGE] as const])(
    "is refused: %s",
    async (_name, options) => {
      await expect(inspectPdf(smallPdf(options))).rejects.toMatchObject({ code: "pdf_invalid_signatures" });
    },
  );

  test.each(Object.entries(UNSIGNED))("is none: %s", async (_name, options) => {
    expect(await inspectPdf(smallPdf(options))).toMatchObject({ result: "ok", signatureCount: 0 });
  });

  test("is seen on the field above the one that is shown", async () => {
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

  test("is none of a reader's rights", async () => {
    const bytes = smallPdf({ catalogExtra: "/Perms<</UR3 9 0 R>>", objects: { 9: "<</Type/Sig/ByteRange[0 10 20 30]/Contents<00>>>" } });
    expect(await codes(bytes)).toEqual([]);
  });
});
