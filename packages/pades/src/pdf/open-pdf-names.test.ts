import { PdfDict } from "@libpdf/core";
import { describe, expect, test } from "vitest";
import { bytesOfName, ODD_NAMES, packedPageNamed, pageNamed } from "../../testing/odd-names.ts";
import { prepareAll } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { normalisePdf } from "../inspect/control-pdf.ts";
import { inspectPdf } from "../inspect/inspect-pdf.ts";
import { dictAt, follow, openPdf } from "./open-pdf.ts";

/** Gives the names of a page's own resources, one character a byte. */
async function namesIn(bytes: Uint8Array, kind: string): Promise<readonly string[]> {
  const open = await openPdf(bytes);
  const page = follow(open, open.pdf.context.pages.getPage(0) ?? undefined) as PdfDict;
  const resources = dictAt(open, page, "Resources") ?? new PdfDict();
  return [...(dictAt(open, resources, kind)?.keys() ?? [])].map(({ value }) => value);
}
const SCRIPT = { catalogExtra: "/OpenAction<</S/JavaScript/JS(1)>>" };

describe.each(Object.entries(ODD_NAMES))("a name in %s", (_kind, name) => {
  const own = bytesOfName(name);

  test("a name is read by its bytes, and a rewritten page keeps them", async () => {
    const forms = [own, "\u00fe", "Caract\u00ef\u00bf\u00bdres", "constructor"];
    for (const bytes of [pageNamed(name), await prepareAll(pageNamed(name))]) {
      expect(await namesIn(bytes, "Font")).toEqual([own]);
      expect(await namesIn(bytes, "XObject")).toEqual(forms);
    }
  });

  test("a name in an object stream is read by its bytes", async () => {
    for (const bytes of [packedPageNamed(name), await prepareAll(packedPageNamed(name))])
      expect(await namesIn(bytes, "Font")).toEqual(["F1", own]);
  });

  test("a name keeps its bytes in a copy without scripts, and in a rebuilt file", async () => {
    const lost = new TextDecoder("latin1").decode(pageNamed(name)).lastIndexOf("startxref");
    const broken = pageNamed(name).fill(0x39, lost + 10, lost + 12);
    for (const file of [pageNamed(name, SCRIPT), broken]) {
      expect((await inspectPdf(file)).result).toBe("fixable");
      expect(await namesIn(await normalisePdf(file), "Font")).toEqual([own]);
    }
  });
});

test("an object with such a name stays where another begins inside it, and a stream keeps its data", async () => {
  const form =
    "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/PieceInfo<</#E9(a)>>/Length 6 0 R>>\nstream\nendstream (x) Tj\nendstream";
  const open = await openPdf(smallPdf({ pageExtra: "/PZ 7 0 R", objects: { 6: "16", 7: form } }));
  const page = follow(open, open.pdf.context.pages.getPage(0) ?? undefined) as PdfDict;
  const read = dictAt(open, page, "PZ");
  expect(
    read && [...(dictAt(open, read, "PieceInfo")?.keys() ?? [])].map(({ value }) => value),
  ).toEqual(["\u00e9"]);
  expect(new TextDecoder().decode((read as unknown as { data: Uint8Array }).data)).toBe(
    "endstream (x) Tj",
  );
});
