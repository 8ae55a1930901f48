import { PdfStream } from "@libpdf/core";
import { expect, test } from "vitest";
import { TEST_FONTS } from "../../testing/test-fonts.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { UNDRAWN, undrawnPdf } from "../../testing/undrawn-annotations.ts";
import { contentText } from "../inspect/flatten-layers.ts";
import { inspectPdf } from "../inspect/inspect-pdf.ts";
import { normalisePdf } from "../inspect/control-pdf.ts";
import { dictAt, follow, openPdf } from "../pdf/open-pdf.ts";
import { pageAt } from "../pdf/page-geometry.ts";

const fonts = TEST_FONTS;

/** Gives what the copy paints for the annotations of the page, in order. */
async function drawn(bytes: Uint8Array): Promise<readonly string[]> {
  const open = await openPdf(await normalisePdf(bytes, { fonts }));
  const resources = dictAt(open, pageAt(open, 1).dict, "Resources");
  const forms = resources && dictAt(open, resources, "XObject");
  return [...(forms ?? [])].map(([, value]) => {
    const form = follow(open, value);
    return form instanceof PdfStream ? contentText(open, form) : "";
  });
}
const ofOne = async (kind: string, entries: string): Promise<string> =>
  (await drawn(undrawnPdf([[kind, entries]])))[0] ?? "";

test.each(Object.entries(UNDRAWN))(
  "an annotation without an appearance is drawn in the copy: %s",
  async (kind, entries) => {
    const file = undrawnPdf([[kind, entries]]);
    expect(await inspectPdf(file)).toMatchObject({
      result: "fixable",
      findings: [{ code: "hidden_layers", count: 1 }],
    });
    expect(await ofOne(kind, entries)).toMatch(/\b(?:S|B|f|B\*|Tj)\s/);
    expect(await inspectPdf(await normalisePdf(file, { fonts }))).toMatchObject({
      result: "ok",
      findings: [],
    });
  },
);

test("drawn annotations keep their order on the page, shapes and text alike", async () => {
  const [first, second, third] = await drawn(
    undrawnPdf(["FreeText", "Square", "Stamp"].map((kind) => [kind, UNDRAWN[kind] ?? ""])),
  );
  expect(first).toContain("Tj");
  expect(second).toContain(" re B");
  expect(third).toContain("Tj");
});

test("a hidden or colourless annotation shows nothing", async () => {
  expect(
    await drawn(
      undrawnPdf([
        ["Square", "/F 2/Rect[0 0 9 9]"],
        ["StrikeOut", "/F 32/Rect[0 0 9 9]"],
      ]),
    ),
  ).toEqual([]);
  expect(await ofOne("Ink", "/Rect[0 0 9 9]/C[]/InkList[[0 0 9 9]]")).not.toContain(" S");
  expect(await ofOne("Square", "/Rect[0 0 9 9]/C[0 0 0]/BS<</W 0>>")).toMatch(/re n/);
});

test("an annotation without a colour is black, a highlight yellow", async () => {
  expect(await ofOne("Circle", "/Rect[0 0 9 9]")).toContain("0 G 1 w");
  expect(await ofOne("Highlight", "/Rect[0 0 9 9]")).toContain("1 1 0 rg");
  expect(await ofOne("StrikeOut", "/Rect[0 0 9 9]/C[.5]")).toContain("0.5 G");
  expect(await ofOne("StrikeOut", "/Rect[0 0 9 9]/C[0 1 0 0]")).toContain("0 1 0 0 K");
});

test.each([
  ["as all write them", "70 720 200 720 70 695 200 695"],
  ["as the standard says", "70 695 200 695 200 720 70 720"],
  ["from the lower edge", "70 695 200 695 70 720 200 720"],
])("a strike-out crosses the middle of words whose corners stand %s", async (_how, corners) => {
  expect(
    await ofOne("StrikeOut", `/Rect[70 690 200 720]/C[1 0 0]/QuadPoints[${corners}]`),
  ).toContain("70 707.5 m 200 707.5 l S");
  expect(
    await ofOne("Underline", `/Rect[70 690 200 720]/C[1 0 0]/QuadPoints[${corners}]`),
  ).toContain("70 696 m 200 696 l S");
});

test.each([
  "Square",
  "Circle",
  "Diamond",
  "OpenArrow",
  "ClosedArrow",
  "ROpenArrow",
  "RClosedArrow",
  "Butt",
  "Slash",
])("a line ends with a %s; an unknown ending draws nothing", async (ending) => {
  const line = (name: string): Promise<string> =>
    ofOne("Line", `/Rect[0 0 90 90]/L[10 10 80 80]/LE[/${name}/None]`);
  expect((await line(ending)).length).toBeGreaterThan((await line("Inconnu")).length);
});

test.each(["constructor", "__proto__"])(
  "an annotation whose kind or ending is named %s draws nothing",
  async (name) => {
    expect(await drawn(undrawnPdf([[name, "/Rect[0 0 9 9]"]]))).toEqual([]);
    expect(await ofOne("Line", `/Rect[0 0 90 90]/L[10 10 80 80]/LE[/${name}/None]`)).toContain(
      " S",
    );
  },
);

test("an annotation with invalid entries is drawn without them", async () => {
  expect(await ofOne("Line", "/Rect[0 0 9 9]/L[1]")).not.toContain(" S");
  expect(await ofOne("Polygon", "/Rect[0 0 9 9]/Vertices(x)/C[1 2]")).not.toContain(" l");
  expect(await ofOne("Ink", "/Rect[0 0 9 9]/InkList[(x)[1 2]]/BS<</S/D/D[0]>>")).toContain(
    "1 2 m 1 2 l S",
  );
  const far = await ofOne("PolyLine", `/Rect[0 0 9 9]/Vertices[0 0 1${"0".repeat(300)} 5]`);
  expect(far).toContain("10000000 5 l");
  expect(await ofOne("FreeText", "/Rect[0 0 2 2]/Contents(trop petit)/DA(rien)")).not.toContain(
    "Tj",
  );
});

test("a default appearance is parsed in linear time, however many digits it has", async () => {
  expect(
    await ofOne("FreeText", `/Rect[0 0 90 90]/Contents(a)/DA(${"1".repeat(100_000)})`),
  ).toContain("Tj");
});

test("a squiggly underline has a bounded number of waves", async () => {
  const wide = await ofOne("Squiggly", "/Rect[0 0 9 9]/QuadPoints[0 9 9000000 9 0 0 9000000 0]");
  expect(wide.length).toBeLessThan(200_000);
  const quads = "0 9 9000000 9 0 0 9000000 0 ".repeat(100_000);
  const endless = undrawnPdf([["Squiggly", `/Rect[0 0 9 9]/QuadPoints[${quads}]`]]);
  await expect(normalisePdf(endless, { fonts })).rejects.toMatchObject({
    code: "pdf_too_complex",
  });
});

test("a drawn appearance replaces one without a BBox", async () => {
  const look = "/AP<</N 30 0 R>>";
  const file = smallPdf({
    pageExtra: "/Annots[20 0 R]",
    objects: {
      20: `<</Type/Annot/Subtype/StrikeOut/F 4${UNDRAWN["StrikeOut"]}${look}>>`,
      30: "<</Type/XObject/Subtype/Form/Length 9>>\nstream\n0 0 m 9 9\nendstream",
    },
  });
  expect((await drawn(file))[0]).toContain("70 707.5 m 200 707.5 l S");
});

test.each([
  ["Redact", "/Rect[0 0 90 90]"],
  ["Line", "/Rect[0 0 90 90]/L[10 10 80 80]/Cap true/Contents(12 m)"],
  ["FreeText", `/Rect[0 0 90 90]/Contents(${"long ".repeat(1_000)})`],
])(
  "an annotation that no copy can show is refused with its kind and page: %s",
  async (kind, entries) => {
    const file = undrawnPdf([
      ["Square", "/Rect[0 0 9 9]"],
      [kind, entries],
    ]);
    await expect(inspectPdf(file)).rejects.toMatchObject({
      code: "pdf_undrawn_annotations",
      annotations: [{ kind, pageNumber: 1 }],
    });
    expect((await inspectPdf(undrawnPdf([[kind, `${entries}/F 2`]]))).result).toBe("fixable");
  },
);

test("a copy whose fonts lack an annotation's letters is refused, with at most ten annotations named", async () => {
  const chinese = "/Rect[0 0 90 90]/Contents<FEFF4E2D6587>";
  const file = undrawnPdf(Array.from({ length: 12 }, () => ["FreeText", chinese] as const));
  expect((await inspectPdf(file)).result).toBe("fixable");
  const refusal: unknown = await normalisePdf(file, { fonts }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "pdf_undrawn_annotations" });
  expect((refusal as { annotations: unknown[] }).annotations).toHaveLength(10);
});
