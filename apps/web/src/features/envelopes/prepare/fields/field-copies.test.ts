import { describe, expect, it } from "vitest";
import { draftOf } from "../draft/draft.ts";
import { makeEnvelope, makeField, makeRecipient } from "../testing/make-envelope.ts";
import { copiesOnOtherPages, duplicatesOf, newField, pastedOn } from "./field-copies.ts";

const [field] = draftOf(
  makeEnvelope({
    recipients: [makeRecipient()],
    fields: [makeField({ label: "Ici", required: false })],
  }),
).fields;
if (!field) throw new Error("no field");
let made = 0;
const newKey = () => `new${++made}`;

describe("a copy of a field", () => {
  it("a copy of a field is new to the service, with the same person, kind, label and requirement", () => {
    const [copy] = duplicatesOf([field], newKey);
    expect(copy).toMatchObject({
      recipientKey: field.recipientKey,
      type: "signature",
      label: "Ici",
      required: false,
      page: 1,
      x: 0.1,
    });
    expect(copy?.id).toBeUndefined();
    expect(copy?.key).not.toBe(field.key);
  });

  it("a duplicate stands under its field, or where the page has room", () => {
    const beside = (box: Partial<typeof field>) => duplicatesOf([{ ...field, ...box }], newKey)[0];
    expect(beside({})).toMatchObject({ x: 0.1, y: 0.572 });
    expect(beside({ y: 0.93 })).toMatchObject({ x: 0.1, y: 0.858 });
    expect(beside({ y: 0.1, height: 0.6 })).toMatchObject({ x: 0.412, y: 0.1 });
    expect(beside({ x: 0.6, y: 0.1, height: 0.6 })).toMatchObject({ x: 0.288, y: 0.1 });
    expect(beside({ x: 0.1, y: 0.1, width: 0.8, height: 0.8 })).toMatchObject({ x: 0.12, y: 0.12 });
  });

  it("duplicates keep their places among themselves, at the page's edge too", () => {
    const pair = [field, { ...field, key: "b", x: 0.7, y: 0.94 }];
    const [first, second] = duplicatesOf(pair, newKey);
    expect((second?.x ?? 0) - (first?.x ?? 0)).toBeCloseTo(0.6, 5);
    expect((second?.y ?? 0) - (first?.y ?? 0)).toBeCloseTo(0.44, 5);
  });

  it("a field is copied to the same place of every other page", () => {
    const copies = copiesOnOtherPages([{ ...field, page: 2 }], 4, newKey);
    expect(copies.map(({ page }) => page)).toEqual([1, 3, 4]);
    expect(copies.every(({ x, y }) => x === field.x && y === field.y)).toBe(true);
  });

  it("a field is pasted at its place of another page or document, else beside itself", () => {
    const present = [field];
    const [there] = pastedOn([field], { documentId: "d2", page: 3 }, { present, newKey });
    expect(there).toMatchObject({ documentId: "d2", page: 3, x: field.x, y: field.y });
    const [beside] = pastedOn([field], { documentId: "d1", page: 1 }, { present, newKey });
    expect(beside).toMatchObject({ x: 0.1, y: 0.572 });
    const [further] = pastedOn(
      [field],
      { documentId: "d1", page: 1 },
      { present: [field, beside ?? field], newKey },
    );
    expect(further).toMatchObject({ x: 0.1, y: 0.644 });
  });
});

describe("a new field", () => {
  it("a new field is required and lies on its page", () => {
    const place = {
      documentId: "d1",
      page: 2,
      type: "text",
      recipientKey: "r1",
      box: { x: 0.9, y: 0.99, width: 0.3, height: 0.04 },
    } as const;
    expect(newField(place, "k")).toMatchObject({
      key: "k",
      required: true,
      label: null,
      x: 0.7,
      y: 0.96,
    });
  });
});
