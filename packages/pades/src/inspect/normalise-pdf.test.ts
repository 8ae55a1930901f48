import { PDF, PdfDict } from "@libpdf/core";
import { expect, test } from "vitest";
import { activePdf, annotatedPdf, layeredPdf } from "../../testing/covered-pdfs.ts";
import { latin } from "../../testing/forge.ts";
import { prepareAll, signAs } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { createTestPki } from "../../testing/test-pki.ts";
import { dictAt, follow, nameAt, type OpenPdf, openPdf, textAt } from "../pdf/open-pdf.ts";
import { pageAt } from "../pdf/page-geometry.ts";
import { openStates, pageContent, withoutHidden } from "./flatten-layers.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { normalisePdf } from "./control-pdf.ts";
import { eachDict } from "../pdf/walk-objects.ts";

const codes = async (bytes: Uint8Array): Promise<string[]> =>
  (await inspectPdf(bytes)).findings.map(({ code }) => code).toSorted();
const actionsOf = (open: OpenPdf): string[] =>
  [...eachDict(open)]
    .flatMap((dict) => (dict.has("S") ? [nameAt(open, dict, "S") ?? ""] : []))
    .toSorted();
function contentOf(open: OpenPdf): string {
  const [ref] = open.pdf.context.pages.getPages();
  const page = ref ? follow(open, ref) : undefined;
  return page instanceof PdfDict ? pageContent(open, page) : "";
}

test.each([
  [{ modify: false, assemble: false, annotate: false, fillForms: false }],
  [{ print: false }],
])("the copy has no protection, whatever it forbade: %o", async (permissions) => {
  const pdf = await PDF.load(smallPdf());
  pdf.setProtection({ ownerPassword: "owner", permissions });
  const sealed = await pdf.save();
  expect(await inspectPdf(sealed)).toMatchObject({
    result: "fixable",
    findings: [{ code: "encryption_removed" }],
  });
  const normalised = await normalisePdf(sealed);
  expect(await inspectPdf(normalised)).toMatchObject({ result: "ok", findings: [] });
  expect(contentOf(await openPdf(normalised))).toContain("(Contrat) Tj");
});

test("the copy has no script and no outward action; links and jumps stay", async () => {
  expect(await codes(activePdf())).toEqual([
    "external_action",
    "hidden_layers",
    "javascript",
    "launch_action",
  ]);
  const normalised = await normalisePdf(activePdf());
  expect(await inspectPdf(normalised)).toMatchObject({ result: "ok", findings: [] });
  expect(actionsOf(await openPdf(normalised))).toEqual(["GoTo", "URI", "URI"]);
  expect(latin(normalised)).not.toMatch(/app\.alert|J#61vaScript|JavaScript/);
});

test("the copy fixes what the layers showed at first", async () => {
  expect(await inspectPdf(layeredPdf())).toMatchObject({
    result: "fixable",
    findings: [{ code: "hidden_layers", count: 4 }],
  });
  const normalised = await normalisePdf(layeredPdf());
  expect(await inspectPdf(normalised)).toMatchObject({ result: "ok", findings: [] });
  const open = await openPdf(normalised);
  expect(open.catalog.has("OCProperties")).toBe(false);
  expect([...eachDict(open)].some((dict) => dict.has("OC"))).toBe(false);
  expect(contentOf(open)).not.toContain("60 500 200 60 re f 1 Tr");
});

test("the copy has annotations on the page; links and attachments stay", async () => {
  expect(await codes(annotatedPdf())).toEqual(["attachments", "hidden_layers"]);
  const normalised = await normalisePdf(annotatedPdf());
  expect(await inspectPdf(normalised)).toMatchObject({
    result: "ok",
    findings: [{ code: "attachments" }],
  });
  const open = await openPdf(normalised);
  const kinds = [...eachDict(open)]
    .filter((dict) => dict.has("Rect"))
    .map((dict) => nameAt(open, dict, "Subtype"));
  expect(kinds.toSorted()).toEqual(["FileAttachment", "Link"]);
  expect(contentOf(open).match(/\/PsFlat0-\d Do/g)).toHaveLength(2);
});

test("a copy of an earlier copy draws under its own names", async () => {
  const form = (text: string): string =>
    `<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Note(${text})/Length 0>>\nstream\n\nendstream`;
  const objects = {
    3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</PsFlat0-0 6 0 R>>>>/Annots[7 0 R 7 0 R 9 0 R]>>",
    4: "<</Length 14>>\nstream\n/PsFlat0-0 Do \nendstream",
    6: form("avant"),
    7: "<</Type/Annot/Subtype/Stamp/Rect[0 0 9 9]/AP<</N 8 0 R>>>>",
    8: form("maintenant"),
    9: "<</Type/Annot/Subtype/Stamp/Rect[20 0 29 9]/AP<</N 8 0 R>>>>",
  };
  const open = await openPdf(await normalisePdf(smallPdf({ objects })));
  const painted = (name: string) => {
    const resources = dictAt(open, pageAt(open, 1).dict, "Resources");
    const forms = resources && dictAt(open, resources, "XObject");
    const drawn = forms && dictAt(open, forms, name);
    return drawn && textAt(open, drawn, "Note");
  };
  expect(
    [...contentOf(open).matchAll(/\/(PsFlat\S+) Do/g)].map(([, name = ""]) => painted(name)),
  ).toEqual(["avant", "maintenant", "maintenant", "maintenant"]);
});

test("pages that share too many annotations are refused", async () => {
  const numbers = Array.from({ length: 1_001 }, (_, index) => 100 + index);
  const page = (number: number): [number, string] => [
    number,
    "<</Type/Page/Parent 2 0 R/Annots 10 0 R>>",
  ];
  const shared = (count: number): Uint8Array =>
    smallPdf({
      objects: {
        2: `<</Type/Pages/MediaBox[0 0 9 9]/Kids[${numbers.map((number) => `${number} 0 R`).join(" ")}]/Count ${numbers.length}>>`,
        10: `[${"11 0 R ".repeat(count)}]`,
        11: "<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/F 2>>",
        ...Object.fromEntries(numbers.map(page)),
      },
    });
  await expect(normalisePdf(shared(200))).rejects.toMatchObject({ code: "pdf_too_complex" });
  expect(await codes(await normalisePdf(shared(10)))).toEqual([]);
});

test.each(["", "/Type/catalog"])(
  "the copy has a typed catalog, where the file's said %j",
  async (type) => {
    const untyped = smallPdf({ objects: { 1: `<<${type}/Pages 2 0 R>>` } });
    expect(await inspectPdf(untyped)).toMatchObject({
      result: "fixable",
      findings: [{ code: "structure_rebuilt" }],
    });
    const normalised = await openPdf(await normalisePdf(untyped));
    expect(nameAt(normalised, normalised.catalog, "Type")).toBe("Catalog");
    expect(contentOf(normalised)).toContain("(Contrat) Tj");
  },
);

test("the copy has no bytes before its header", async () => {
  const shifted = new Uint8Array([...new TextEncoder().encode("From: x\r\n\r\n"), ...smallPdf()]);
  expect(await inspectPdf(shifted)).toMatchObject({
    result: "fixable",
    findings: [{ code: "leading_bytes" }],
  });
  expect(latin(await normalisePdf(shifted)).startsWith("%PDF-")).toBe(true);
});

test("a signed file is never rewritten; its scripts are findings", async () => {
  const pki = await createTestPki();
  const signed = await signAs(
    await prepareAll(smallPdf({ catalogExtra: "/OpenAction<</S/JavaScript/JS(1)>>" })),
    {
      signer: await pki.issue({ commonName: "Alice" }),
      ownerKey: "alice",
    },
  );
  expect(await inspectPdf(signed)).toMatchObject({ result: "ok", signatureCount: 1 });
  expect(await codes(signed)).toContain("javascript");
  expect(await normalisePdf(signed)).toBe(signed);
});

const hide = (content: string): string | null => withoutHidden(content, (name) => name === "H");
test("content without hidden layers is left alone", () => {
  expect(hide("/OC /S BDC (a) Tj EMC q Q % remark\n[(b) 3 <</A/B>>] TJ")).toBeNull();
});
test("hidden content paints nothing, and leaves the graphics state as before", () => {
  expect(
    hide(
      "2 Tr /OC /H BDC 0 0 m 1 1 l B* /X Do /Sh sh 1 Tr q 0 Tr Q (a\\)\\\\) Tj EMC (b) Tj",
    )?.replace(/\s+/g, " "),
  ).toBe("2 Tr /OC /H BDC 3 Tr 0 0 m 1 1 l n q Q 3 Tr (a\\)\\\\) Tj 1 Tr EMC (b) Tj");
});
test("the rendering mode of a state saved in hidden content is restored", () => {
  expect(hide("/OC /H BDC q EMC Q (b) Tj")?.replace(/\s+/g, " ")).toBe(
    "/OC /H BDC 3 Tr q 0 Tr EMC Q 0 Tr (b) Tj",
  );
});
test("saved graphics states are counted, inline images and open strings skipped", () => {
  expect(openStates("q q Q Q Q q BI /W 1 ID q\nEI q (Q")).toBe(2);
  expect(openStates("BI /W 1 ID q q")).toBe(0);
});
