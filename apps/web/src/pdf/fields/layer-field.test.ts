import { expect, it } from "vitest";
import { inReadingOrder } from "./layer-field.ts";

it("orders fields by page, then from top to bottom, then from left to right on one line", () => {
  const fields = [
    { id: "d", page: 2, x: 0.1, y: 0.1 },
    { id: "c", page: 1, x: 0.1, y: 0.6 },
    { id: "b", page: 1, x: 0.6, y: 0.5 },
    { id: "a", page: 1, x: 0.1, y: 0.505 },
  ];
  expect(inReadingOrder(fields).map((field) => field.id)).toEqual(["a", "b", "c", "d"]);
});
