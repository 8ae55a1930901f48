import { expect, it } from "vitest";
import { applyLayout, layoutOf } from "./field-layout.ts";

const documents = [
  { id: "d1", page_count: 2 },
  { id: "d2", page_count: 1 },
];
const people = [{ key: "anne" }, { key: "luc" }];
const field = (more: object = {}) => ({
  key: "k1",
  id: "f1",
  documentId: "d1",
  recipientKey: "anne",
  type: "signature" as const,
  page: 2,
  x: 0.1,
  y: 0.5,
  width: 0.3,
  height: 0.06,
  required: true,
  label: null,
  value: null,
  ...more,
});
const onNew = (present: readonly ReturnType<typeof field>[] = []) => {
  let key = 0;
  const stage = {
    documents: [{ id: "n1", page_count: 1 }],
    people: [{ key: "zoe" }],
    present,
    newKey: () => `n${++key}`,
  };
  return applyLayout(
    layoutOf(
      [field(), field({ page: 1, label: "Qualité" }), field({ page: 1, recipientKey: "luc" })],
      { documents, people },
    ),
    stage,
  );
};

it("a layout holds places, types, labels and sentences to copy, and no other data", () => {
  const [kept, second] = layoutOf(
    [field({ value: "secret" }), field({ documentId: "d2", page: 1, recipientKey: "luc" })],
    {
      documents,
      people,
    },
  );
  expect(kept).toEqual({
    document_rank: 0,
    person_rank: 0,
    type: "signature",
    page: 2,
    x: 0.1,
    y: 0.5,
    width: 0.3,
    height: 0.06,
    required: true,
    label: null,
    value: null,
  });
  expect([second?.document_rank, second?.person_rank]).toEqual([1, 1]);
  expect(
    layoutOf([field({ recipientKey: "gone" }), field({ documentId: "gone" })], {
      documents,
      people,
    }),
  ).toEqual([]);
});

it("a layout's fields go to documents and people of the same rank, others are counted", () => {
  const { fields, leftOut } = onNew();
  // The service gives each field an id of its own.
  expect(fields).toEqual([
    {
      ...field(),
      id: undefined,
      key: "n1",
      documentId: "n1",
      recipientKey: "zoe",
      page: 1,
      label: "Qualité",
    },
  ]);
  expect(fields[0]).not.toHaveProperty("id");
  expect(leftOut).toBe(2);
});

it("a layout restores a mention with its sentence", () => {
  const mention = field({ type: "mention", page: 1, value: "Lu et approuvé" });
  const kept = layoutOf([mention], { documents, people });
  expect(
    applyLayout(kept, { documents, people, present: [], newKey: () => "n1" }).fields,
  ).toMatchObject([{ type: "mention", value: "Lu et approuvé" }]);
});

it("a layout adds no field twice in the same place", () => {
  const { fields, leftOut } = onNew([field({ documentId: "n1", recipientKey: "zoe", page: 1 })]);
  expect([fields.length, leftOut]).toEqual([0, 2]);
});
