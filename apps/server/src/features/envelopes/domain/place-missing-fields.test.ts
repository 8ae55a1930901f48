import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EnvelopeField } from "./envelope.ts";
import { type PlacementRequest, placeMissingFields } from "./place-missing-fields.ts";

const A4 = { width: 595, height: 842 };
const document = (id = "doc", pageCount = 2) => ({ id, pageCount, pages: Array.from({ length: pageCount }, () => A4) });
const field = (rest: Partial<EnvelopeField>): EnvelopeField => ({
  id: "f",
  documentId: "doc",
  recipientId: "a",
  type: "signature",
  page: 1,
  x: 0,
  y: 0,
  width: 0.2,
  height: 0.1,
  required: true,
  label: null,
  value: null,
  ...rest,
});
function place(rest: Partial<PlacementRequest>): readonly EnvelopeField[] {
  let next = 0;
  const result = placeMissingFields({
    documents: [document()],
    recipients: [{ id: "a", role: "signer" }],
    fields: [],
    newId: () => `new${++next}`,
    ...rest,
  });
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
}
const overlap = (left: EnvelopeField, right: EnvelopeField) =>
  left.documentId === right.documentId &&
  left.page === right.page &&
  left.x < right.x + right.width &&
  right.x < left.x + left.width &&
  left.y < right.y + right.height &&
  right.y < left.y + left.height;

describe("a signer without a placed signature field", () => {
  it("gets one on the last page of each document", () => {
    const placed = place({ documents: [document("d1", 3), document("d2", 1)] });
    expect(placed.map(({ documentId, page, type, recipientId }) => ({ documentId, page, type, recipientId }))).toEqual([
      { documentId: "d1", page: 3, type: "signature", recipientId: "a" },
      { documentId: "d2", page: 1, type: "signature", recipientId: "a" },
    ]);
  });

  it("gets one beside the uploaded file's own fields and signatures, never over them", () => {
    const [free] = place({ documents: [document("doc", 1)] });
    const { x, y, width, height } = free as EnvelopeField;
    const taken = [{ x, y, width, height }];
    const [placed] = place({ documents: [{ id: "doc", pageCount: 1, pages: [{ ...A4, taken }] }] });
    expect(placed && overlap(placed, free as EnvelopeField)).toBe(false);
  });

  it("gets one over links when they leave no other place, and never over a field or a signature", () => {
    const link = { x: 0, y: 0, width: 1, height: 1, coverable: true } as const;
    const form = { x: 0, y: 0.5, width: 1, height: 0.5 };
    const on = (...taken: readonly (typeof link | typeof form)[]) => ({
      documents: [{ id: "doc", pageCount: 1, pages: [{ ...A4, taken }] }],
    });
    expect(place(on(link))).toEqual(place(on()));
    const [placed] = place(on(link, form));
    expect(placed && placed.y + placed.height).toBeLessThanOrEqual(0.5);
    const corner = { x: 0, y: 0.5, width: 1, height: 0.5, coverable: true } as const;
    expect(place(on(corner))).toEqual(place(on(form)));
  });

  it("gets none when the sender placed one, in any document", () => {
    expect(place({ documents: [document("doc"), document("d2")], fields: [field({})] })).toEqual([]);
  });

  it("gets one when only another kind of field was placed", () => {
    expect(place({ fields: [field({ type: "date" })] })).toHaveLength(1);
  });

  it("is a signer: an approver's signature need not be visible, a viewer has none", () => {
    expect(
      place({
        recipients: [
          { id: "a", role: "approver" },
          { id: "v", role: "viewer" },
        ],
      }),
    ).toEqual([]);
  });

  it("finds a free place among the fields of the last page, never over another", () => {
    const full = Array.from({ length: 9 }, (_, index) =>
      field({ id: `f${index}`, recipientId: "b", type: "text", page: 2, x: 0, y: 0.9 - index * 0.08, width: 1, height: 0.08 }),
    );
    const [placed] = place({ fields: full });
    expect(placed?.page).toBe(2);
    expect(full.some((other) => overlap(other, placed as EnvelopeField))).toBe(false);
  });

  it("shares the page with 99 others, each within it and apart", () => {
    const recipients = Array.from({ length: 100 }, (_, index) => ({ id: `r${index}`, role: "signer" as const }));
    const placed = place({ recipients });
    expect(placed).toHaveLength(100);
    for (const [index, one] of placed.entries()) {
      expect(one.x >= 0 && one.y >= 0 && one.x + one.width <= 1 && one.y + one.height <= 1).toBe(true);
      expect(placed.slice(index + 1).some((other) => overlap(one, other))).toBe(false);
    }
  });

  it("keeps to the page whatever its size", () => {
    fc.assert(
      fc.property(fc.double({ min: 20, max: 5_000, noNaN: true }), fc.double({ min: 20, max: 5_000, noNaN: true }), (width, height) => {
        const [one] = place({ documents: [{ id: "doc", pageCount: 1, pages: [{ width, height }] }] });
        expect(
          one && one.x >= 0 && one.y >= 0 && one.x + one.width <= 1.0001 && one.y + one.height <= 1.0001 && one.width > 0 && one.height > 0,
        ).toBe(true);
      }),
    );
  });

  it("is told so when the last page has no place left", () => {
    const result = placeMissingFields({
      documents: [document()],
      recipients: [{ id: "a", role: "signer" }],
      fields: [field({ recipientId: "b", page: 2, width: 1, height: 1 })],
      newId: () => "x",
    });
    expect(result).toMatchObject({ ok: false, error: { code: "not_ready_to_send" } });
  });
});
