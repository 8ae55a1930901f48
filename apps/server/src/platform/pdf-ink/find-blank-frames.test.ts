import { describe, expect, it } from "vitest";
import { makePdf } from "../../../testing/pdf.ts";
import { findBlankFrames, type PageWanted } from "./find-blank-frames.ts";

const page = (pageNumber: number): PageWanted => ({
  pageNumber,
  width: 595,
  height: 842,
  sizes: [{ width: 200, height: 60 }],
  corners: ["top-left"],
  edge: 20,
  gap: 2,
});
const whole = () => false;

describe("blank places of a document", () => {
  it("are where nothing is drawn: under the line that a page begins with", async () => {
    const [first] = await findBlankFrames(makePdf(), [page(1)], whole);
    // The line stands from 62 to 80 points under the top; the gap and a row of cells come after it.
    expect(first?.x).toBe(20);
    expect(first?.y).toBeGreaterThan(80);
    expect(first?.y).toBeLessThan(95);
  });

  it("are given for as many pages as there is time for, one at least", async () => {
    const pages = [page(1), page(2), page(3)];
    expect(await findBlankFrames(makePdf({ pages: 3 }), pages, () => true)).toHaveLength(1);
    expect(await findBlankFrames(makePdf({ pages: 3 }), pages, whole)).toHaveLength(3);
  });

  it("are none on a page that is not there, and in a file that cannot be read", async () => {
    expect(await findBlankFrames(makePdf(), [page(2)], whole)).toEqual([null]);
    expect(await findBlankFrames(new Uint8Array([1, 2, 3]), [page(1), page(2)], whole)).toEqual([null, null]);
  });
});
