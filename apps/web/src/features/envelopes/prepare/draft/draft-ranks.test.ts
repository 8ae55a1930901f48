import { expect, it } from "vitest";
import { makeEnvelope, makeRecipient } from "../testing/make-envelope.ts";
import { draftChanges } from "./draft-keeper.ts";
import { draftOf } from "./draft.ts";

const people = (...orders: readonly number[]) =>
  orders.map((order, index) =>
    makeRecipient({
      id: `r${index}`,
      full_name: `P${index}`,
      email: `p${index}@exemple.fr`,
      order,
    }),
  );
const saved = (part: Parameters<typeof makeEnvelope>[0]) =>
  draftChanges(draftOf(makeEnvelope(part)), {
    dirty: new Set(["recipients"] as const),
    now: new Date(0),
  })?.body.recipients?.map((row) => [row.full_name, row.order]);

it("reads and saves equal ranks as they are, in the order of signing", () => {
  expect(saved({ flow: "sequential", recipients: people(2, 1, 1) })).toEqual([
    ["P1", 1],
    ["P2", 1],
    ["P0", 2],
  ]);
});

it("gives ranks of their own to people who all had the first one in parallel, and keeps those set before the order was put off", () => {
  expect(saved({ flow: "parallel", recipients: people(1, 1, 1) })).toEqual([
    ["P0", 1],
    ["P1", 2],
    ["P2", 3],
  ]);
  expect(
    saved({ flow: "parallel", recipients: people(1, 1, 2) })?.map(([, order]) => order),
  ).toEqual([1, 1, 2]);
  expect(
    saved({ flow: "sequential", recipients: people(1, 1) })?.map(([, order]) => order),
  ).toEqual([1, 1]);
});
