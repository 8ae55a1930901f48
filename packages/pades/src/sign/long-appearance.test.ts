import { PdfDict, type PdfStream } from "@libpdf/core";
import { expect, test } from "vitest";
import { smallPdf } from "../../testing/small-pdf.ts";
import { ownFields, prepareAll, signAs } from "../../testing/sign-flow.ts";
import { createTestPki } from "../../testing/test-pki.ts";
import { formFields } from "../pdf/form-fields.ts";
import { dictAt, follow, openPdf } from "../pdf/open-pdf.ts";

const LONG_STROKE = Array.from(
  { length: 400 },
  (_, index) => [index / 200, 0.5 + 0.4 * Math.sin(index / 5), 0.5] as const,
);

/** DSS takes a filter on an appearance that had none for a change that no form filling makes, and says so of every earlier signature. */
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
