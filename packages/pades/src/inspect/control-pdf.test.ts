import { beforeAll, expect, test } from "vitest";
import { sealed } from "../../testing/attack-stage.ts";
import { prepareAll, signAs } from "../../testing/sign-flow.ts";
import { signFreely } from "../../testing/sign-freely.ts";
import { smallPdf, streamXrefPdf } from "../../testing/small-pdf.ts";
import { TEST_FONTS } from "../../testing/test-fonts.ts";
import { TEST_NOW, type TestPki, createTestPki } from "../../testing/test-pki.ts";
import { type RehearsalMeans, controlPdf, rehearse } from "./control-pdf.ts";
import { inspectPdf } from "./inspect-pdf.ts";

let pki: TestPki;
let means: RehearsalMeans;
beforeAll(async () => {
  pki = await createTestPki();
  const signer = await pki.issue({ commonName: "Répétition" });
  means = {
    fonts: TEST_FONTS,
    signer,
    tsa: pki.tsa,
    root: pki.root.certificates[0] as Uint8Array,
    now: TEST_NOW,
  };
});
const elsewhere = async (certification?: number): Promise<Uint8Array> => {
  const signer = await pki.issue({ commonName: "Autre" });
  const cms = (covered: Uint8Array): Promise<Uint8Array> =>
    sealed({ signer, tsa: pki.tsa }, covered);
  return signFreely(smallPdf(), certification === undefined ? { cms } : { cms, certification });
};

test.each([
  ["a table", () => smallPdf()],
  ["a cross-reference stream", () => streamXrefPdf()],
  ["a turned page", () => smallPdf({ rotate: 90 })],
  ["a signature made elsewhere", () => elsewhere()],
  ["a certification", () => elsewhere(2)],
])("the rehearsal finishes a file with %s, and leaves it unchanged", async (_name, make) => {
  const bytes = await make();
  const before = bytes.slice();
  expect(await rehearse(bytes, means)).toBeNull();
  expect(bytes).toEqual(before);
});

test("the rehearsal finishes a file that we signed before", async () => {
  const alice = await pki.issue({ commonName: "Alice" });
  const signed = await signAs(await prepareAll(smallPdf()), {
    signer: alice,
    tsa: pki.tsa,
    ownerKey: "alice",
  });
  expect(await rehearse(signed, means)).toBeNull();
});

test("the rehearsal gives step and reason for a file that cannot be finished", async () => {
  // Some readers take this number otherwise without its point, in a catalog that was signed with
  // it.
  const file = smallPdf({ catalogExtra: "/PieceInfo<</App<</Private 17620000000000>>>>" });
  const change = (text: string): string => text.replaceAll("17620000000000", "1762000000000.");
  const signer = await pki.issue({ commonName: "Autre" });
  const odd = await signFreely(file, {
    change,
    cms: (covered) => sealed({ signer, tsa: pki.tsa }, covered),
  });
  expect(await inspectPdf(odd)).toMatchObject({ result: "ok", signatureCount: 1 });
  expect(await rehearse(odd, means)).toEqual({ step: "validate", reason: "FORMAT_FAILURE" });
});

test("controlPdf refuses what cannot be finished, a corrected copy too, and otherwise says what inspectPdf says", async () => {
  const script = "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>";
  const codeOf = (bytes: Uint8Array): Promise<unknown> =>
    controlPdf(bytes, means).then(
      ({ result }) => result,
      ({ code }: { code: string }) => code,
    );
  expect(await controlPdf(smallPdf(), means)).toEqual(await inspectPdf(smallPdf()));
  expect(await codeOf(smallPdf({ catalogExtra: script }))).toBe("fixable");
  expect(await codeOf(await elsewhere())).toBe("ok");
  // The catalog stands under a meaningless key: it may not change after a signature, and the
  // archive must change it.
  expect(await codeOf(smallPdf({ pageExtra: "/Odd[1 0 R]" }))).toBe("pdf_unfinishable");
  expect(await codeOf(smallPdf({ pageExtra: "/Odd[1 0 R]", catalogExtra: script }))).toBe(
    "pdf_unfinishable",
  );
});

test("the rehearsal uses another page when the first one of a signed file is full", async () => {
  const page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>";
  const pages = { 2: "<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>", 3: page, 6: page };
  const signer = await pki.issue({ commonName: "Autre" });
  const cms = (covered: Uint8Array): Promise<Uint8Array> =>
    sealed({ signer, tsa: pki.tsa }, covered);
  const once = await signFreely(smallPdf({ objects: pages }), { cms });
  const full = await signFreely(once, { cms, fieldName: "Large", rect: "0 0 297 842" });
  expect(await rehearse(full, means)).toMatchObject({ step: "validate" });
  expect(await controlPdf(full, means)).toMatchObject({
    result: "ok",
    covered: [{ pageNumber: 1 }],
  });
});

test("the rehearsal refuses a file that takes no fields, and untrusted keys", async () => {
  expect(await rehearse(await elsewhere(1), means)).toEqual({
    step: "prepare",
    reason: "pdf_signing_forbidden",
  });
  const stranger = await createTestPki("Inconnu");
  expect(
    await rehearse(smallPdf(), { ...means, root: stranger.root.certificates[0] as Uint8Array }),
  ).toEqual({
    step: "validate",
    reason: "not_passed",
  });
});
