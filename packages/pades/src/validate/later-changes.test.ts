import { describe, expect, test } from "vitest";
import { PdfRef } from "@libpdf/core";
import { forgedRevision, lastObject, tableRow } from "../../testing/forge.ts";
import { createAttackStage, sealed } from "../../testing/attack-stage.ts";
import { packedPdf } from "../../testing/packed-pdf.ts";
import { signFreely } from "../../testing/sign-freely.ts";
import { smallPdf, type Objects } from "../../testing/small-pdf.ts";
import { trusting } from "../../testing/test-pki.ts";
import { concatBytes } from "../asn1/der-writer.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { type OpenPdf, openPdf } from "../pdf/open-pdf.ts";
import { compareRevisions } from "./compare-revisions.ts";
import { shareObjects } from "./later-changes.ts";
import { validate } from "./validate.ts";

/** Says whether an object of the first revision is the very one of the whole file. */
async function isShared(base: Uint8Array, objects: Objects, number: number): Promise<boolean> {
  const [whole, revision] = await Promise.all([
    openPdf(forgedRevision(base, { objects })),
    openPdf(base),
  ]);
  shareObjects(whole, revision);
  return at(revision, number) === at(whole, number);
}
const at = (open: OpenPdf, number: number) => open.pdf.context.resolve(PdfRef.of(number, 0));

describe("a revision shares with the whole file", () => {
  const base = smallPdf({
    objects: {
      6: "[1 2 3]",
      7: "<</Length 3>>\nstream\nabc\nendstream",
      8: "<</Length 9 0 R>>\nstream\nabc\nendstream",
      9: "3",
      10: "<</Length 2>>\nstream\nabc\nendstream",
    },
  });
  test.each([
    ["an object that no update touches", 6, true],
    ["a stream that no update touches", 7, true],
    ["no stream whose length stands elsewhere", 8, false],
    ["no stream that is longer than it says", 10, false],
    ["no object that an update changed", 5, false],
    ["nothing where there is nothing", 44, true],
  ])("a revision shares an object with the whole file: %s", async (_name, number, shared) => {
    expect(await isShared(base, { 5: "<<>>" }, number)).toBe(shared);
  });

  test("a revision does not share an object that crosses its end", async () => {
    // The string has no end before an update gives it one.
    const open = smallPdf({ objects: { 6: "(abc" } });
    const [whole, revision] = [
      await openPdf(forgedRevision(open, { objects: { 7: "(x)" } })),
      await openPdf(open),
    ];
    shareObjects(whole, revision);
    expect(at(revision, 6) === null || at(revision, 6) !== at(whole, 6)).toBe(true);
  });

  test("a revision does not share an object of another generation", async () => {
    const [whole, revision] = [
      await openPdf(forgedRevision(base, { objects: { 5: "<<>>" } })),
      await openPdf(base),
    ];
    shareObjects(whole, revision);
    expect(revision.pdf.context.resolve(PdfRef.of(6, 1))).toBeNull();
  });

  test("a revision shares packed objects, but not those that the parser reads itself", async () => {
    const [whole, revision] = [await openPdf(packedPdf()), await openPdf(packedPdf())];
    shareObjects(whole, revision);
    const packed = [...whole.entries]
      .filter(([, { kind }]) => kind === "packed")
      .map(([number]) => number);
    expect(
      packed.some(
        (number) => at(revision, number) !== null && at(revision, number) === at(whole, number),
      ),
    ).toBe(true);
  });
});

/**
 * Makes a signed file with rows of 5 000 numbers, and so many updates that write its catalog again.
 */
async function updated(
  count: number,
  rows = 200,
): Promise<{ bytes: Uint8Array; first: Uint8Array; roots: readonly Uint8Array[] }> {
  const { alice, pki } = await createAttackStage();
  const numbers = `[${`[${"0 ".repeat(5_000)}]`.repeat(rows)}]`;
  const file = smallPdf({
    catalogExtra: "/PieceInfo<</A<</Private 50 0 R>>>>",
    objects: { 50: numbers },
  });
  const signed = await signFreely(file, {
    cms: (covered) => sealed({ signer: alice, tsa: pki.tsa }, covered),
  });
  const { number, syntax } = lastObject(signed, "/Type /Catalog");
  let [previous, length] = [
    /startxref\s+(\d+)\s+%%EOF\s*$/.exec(
      new TextDecoder("latin1").decode(signed.subarray(-64)),
    )?.[1],
    signed.length,
  ];
  const parts = [signed];
  for (let index = 0; index < count; index += 1) {
    const body = `${number} 0 obj\n${syntax}\nendobj\n`;
    const start = length + body.length;
    const section = `xref\n${tableRow(number, length)}trailer\n<</Size 999/Root 1 0 R/Prev ${previous}>>\nstartxref\n${start}\n%%EOF\n`;
    parts.push(latinBytes(body + section));
    [previous, length] = [String(start), start + section.length];
  }
  return { bytes: concatBytes(parts), first: signed, roots: pki.root.certificates };
}

test("updates are compared without meeting unchanged values again", async () => {
  const { bytes, first, roots } = await updated(1, 10);
  const whole = await openPdf(bytes);
  const before = (): Promise<OpenPdf> => openPdf(bytes.subarray(0, first.length));
  const [shared, apart] = [await before(), await before()];
  shareObjects(whole, shared);
  const few = (): { left: number } => ({ left: 10_000 });
  expect(compareRevisions(shared, whole, few()).isForbidden).toBe(false);
  expect(() => compareRevisions(apart, whole, few())).toThrow(
    expect.objectContaining({ code: "pdf_too_complex" }),
  );
  const report = await validate(bytes, {
    evidence: trusting(roots),
    now: new Date("2026-11-21T16:00:00Z"),
  });
  expect(report).toMatchObject({ indication: "TOTAL_PASSED", problems: [] });
});

test("three hundred updates of a large file are too many", async () => {
  const { bytes, roots } = await updated(300);
  const report = await validate(bytes, {
    evidence: trusting(roots),
    now: new Date("2026-11-21T16:00:00Z"),
  });
  expect(report).toMatchObject({ indication: "TOTAL_FAILED", problems: ["pdf_too_complex"] });
});
