import { expect, it } from "vitest";
import { ownPlaces } from "./own-places.ts";

const PLACE = { x: 0.1, y: 0.2, width: 0.3, height: 0.1 };
const pagesOf = (page: number | "all", pageCount: number) => {
  const places = ownPlaces({ ...PLACE, page }, pageCount);
  return places.ok ? places.value.map((place) => place.page) : places.error.errors?.["placement"];
};

it.each<[number | "all", number, readonly number[]]>([
  [1, 3, [1]],
  [3, 3, [3]],
  [-1, 3, [3]],
  [-1, 1, [1]],
  ["all", 3, [1, 2, 3]],
])("page %s of %i means %j", (page, pageCount, pages) => {
  expect(pagesOf(page, pageCount)).toEqual(pages);
});

it.each([
  [4, 3, "Ce document n’a que 3 pages"],
  [2, 1, "Ce document n’a que 1 page"],
  [0, 3, "Ce document n’a que 3 pages"],
])("page %i of %i is refused", (page, pageCount, sentence) => {
  expect(pagesOf(page, pageCount)).toEqual([sentence]);
});

it("keeps the place on each page", () => {
  expect(ownPlaces({ ...PLACE, page: "all" }, 2)).toEqual({ ok: true, value: [1, 2].map((page) => ({ ...PLACE, page })) });
});
