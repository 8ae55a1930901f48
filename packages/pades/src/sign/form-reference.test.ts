import { beforeAll, expect, test } from "vitest";
import { archiveWith } from "../../testing/archive.ts";
import { prepareAll, signAs } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { TEST_NOW, type TestPki, createTestPki, trusting } from "../../testing/test-pki.ts";
import { openPdf } from "../pdf/open-pdf.ts";
import { writeObject } from "../pdf/write-object.ts";
import { validate } from "../validate/validate.ts";
import { formReference } from "./prepare-fields.ts";
import { prepareDocumentTimestamp } from "./long-term.ts";

let pki: TestPki;
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
