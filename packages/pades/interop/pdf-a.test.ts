import { PdfRef, PdfStream } from "@libpdf/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { beginUpdate, latinBytes } from "../src/pdf/incremental-update.ts";
import { follow, openPdf } from "../src/pdf/open-pdf.ts";
import { pageAt } from "../src/pdf/page-geometry.ts";
import { takeForm } from "../src/inspect/take-form.ts";
import { withEntries } from "../src/sign/prepare-fields.ts";
import { archiveWith } from "../testing/archive.ts";
import { prepareAll, signAs } from "../testing/sign-flow.ts";
import { tinyJpeg, tinyPng } from "../testing/tiny-images.ts";
import { createTestPki, TEST_NOW, type TestPki } from "../testing/test-pki.ts";
import { corpusFile, missingCorpus } from "./corpus.ts";
import { type Folder, temporaryFolder } from "./tool.ts";
import { validatePdfA, missingVeraPdf } from "./validators.ts";

const missing = missingCorpus || missingVeraPdf();
const AFTER = new Date(TEST_NOW.getTime() + 3_600_000);
/** The drawing is long enough to be deflated, in a form of its own. */
const LONG_STROKE = Array.from(
  { length: 400 },
  (_, index) => [index / 200, 0.5 + 0.4 * Math.sin(index / 5), 0.5] as const,
);
const INVOICE =
  "<?xml version='1.0' encoding='UTF-8'?><rsm:CrossIndustryInvoice xmlns:rsm='urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100'/>";

/**
 * Makes a PDF/A-3b with an invoice attached, as Factur-X does, out of a PDF/A-2b.
 * Source: ISO 19005-3 §6.8.
 */
async function facturX(bytes: Uint8Array): Promise<Uint8Array> {
  const open = await openPdf(bytes);
  const update = beginUpdate(open);
  const metadata = open.catalog.get("Metadata");
  const stream = follow(open, metadata);
  if (!(metadata instanceof PdfRef) || !(stream instanceof PdfStream))
    throw new Error("Expected XMP metadata");
  const xmp = new TextDecoder()
    .decode(stream.getDecodedData())
    .replace(/(pdfaid:part[=>]["']?)2/, "$13");
  await update.putStream(
    metadata.objectNumber,
    "/Type/Metadata/Subtype/XML",
    new TextEncoder().encode(xmp),
  );
  const [file, specification] = [update.allocate(), update.allocate()];
  await update.putStream(
    file,
    "/Type/EmbeddedFile/Subtype/text#2Fxml/Params<</ModDate(D:20261121141604Z)>>",
    latinBytes(INVOICE),
  );
  update.put(
    specification,
    `<</Type/Filespec/F(factur-x.xml)/UF(factur-x.xml)/Desc(Facture)/AFRelationship/Alternative/EF<</F ${file} 0 R/UF ${file} 0 R>>>>`,
  );
  const names = `<</EmbeddedFiles<</Names[(factur-x.xml)${specification} 0 R]>>>>`;
  update.put(
    open.catalogRef.objectNumber,
    withEntries(open.catalog, { Names: names, AF: `[${specification} 0 R]` }),
  );
  return update.finish().bytes;
}

/** Adds a text field and a signature, and lets `takeForm` draw them into their page. */
async function withFormTaken(bytes: Uint8Array): Promise<Uint8Array> {
  const open = await openPdf(bytes);
  const { ref, dict } = pageAt(open, 1);
  const update = beginUpdate(open);
  const [look, text, signature] = [update.allocate(), update.allocate(), update.allocate()];
  await update.putStream(look, "/Type/XObject/Subtype/Form/BBox[0 0 200 40]", latinBytes(""));
  const widget = (type: string, bottom: number) =>
    `<</Type/Annot/Subtype/Widget/FT/${type}/T(${type})/F 4/P ${ref.objectNumber} 0 R/Rect[60 ${bottom} 260 ${bottom + 40}]/MK<</BC[0.4]>>/AP<</N ${look} 0 R>>>>`;
  update.put(text, widget("Tx", 100));
  update.put(signature, widget("Sig", 150));
  const fields = `[${text} 0 R ${signature} 0 R]`;
  update.put(ref.objectNumber, withEntries(dict, { Annots: fields }));
  const catalog = withEntries(open.catalog, { AcroForm: `<</Fields${fields}>>` });
  update.put(open.catalogRef.objectNumber, catalog);
  const cover = { pageNumber: 1, x: 0.1, y: 0.4, width: 0.2, height: 0.02 } as const;
  const covers = [{ ...cover, ground: [1, 1, 1] as const }];
  const taken = await takeForm(update.finish().bytes, { covers, at: TEST_NOW });
  expect((await openPdf(taken)).catalog.has("AcroForm")).toBe(false);
  return taken;
}

describe.skipIf(missing)(`veraPDF${missing ? ` (${missing})` : ""}`, () => {
  let folder: Folder;
  let pki: TestPki;
  beforeAll(async () => {
    folder = temporaryFolder();
    pki = await createTestPki();
  });
  afterAll(() => folder.remove());

  /**
   * Gives every revision of a file's life: two signers, one with an image, and two document
   * time-stamps.
   */
  async function revisions(original: Uint8Array): Promise<Record<string, Uint8Array>> {
    const [alice, bob] = await Promise.all([
      pki.issue({ commonName: "Alice" }),
      pki.issue({ commonName: "Bob" }),
    ]);
    const prepared = await prepareAll(original);
    const drawn = await signAs(prepared, { signer: alice, tsa: pki.tsa, ownerKey: "alice" });
    const step = { signer: bob, tsa: pki.tsa, ownerKey: "bob" };
    const typed = await signAs(drawn, {
      ...step,
      options: { mark: { kind: "typed", text: "Bob Œuvrard", hand: "caveat" } },
    });
    const png = await signAs(drawn, {
      ...step,
      options: { mark: { kind: "image", bytes: tinyPng("rgba") } },
    });
    const jpeg = await signAs(drawn, {
      ...step,
      options: { mark: { kind: "image", bytes: tinyJpeg() } },
    });
    const long = await signAs(drawn, {
      ...step,
      options: { mark: { kind: "strokes", strokes: [LONG_STROKE] } },
    });
    const archived = await archiveWith(pki, typed, AFTER);
    return {
      original,
      prepared,
      drawn,
      typed,
      png,
      jpeg,
      long,
      archived,
      renewed: await archiveWith(pki, archived, AFTER),
    };
  }

  test("veraPDF passes every revision of a PDF/A-2b and of a PDF/A-3b with an invoice (Factur-X), also once its form was taken, and names the rules that a file breaks", async () => {
    const invoice = await facturX(corpusFile("lo_pdfa2b"));
    const sources = [
      ["2b", corpusFile("lo_pdfa2b")],
      ["3b", invoice],
      ["3b", await withFormTaken(invoice)],
    ] as const;
    const steps: { flavour: string; name: string; path: string }[] = [];
    for (const [index, [flavour, source]] of sources.entries()) {
      for (const [name, bytes] of Object.entries(await revisions(source)))
        steps.push({ flavour, name, path: folder.write(`${index}-${name}.pdf`, bytes) });
    }
    // veraPDF starts once for all.
    const verdicts = validatePdfA([
      ...steps.map(({ path }) => path),
      folder.write("plain.pdf", corpusFile("lo_plain")),
    ]);
    const plain = verdicts.at(-1);
    expect(verdicts.slice(0, -1).map((verdict, index) => [steps[index]?.name, verdict])).toEqual(
      steps.map(({ name, flavour }) => [name, { verdict: "PASS", flavour, rules: [] }]),
    );
    expect(plain?.verdict).toBe("FAIL");
    expect(plain?.rules.length).toBeGreaterThan(0);
  }, 180_000);
});
