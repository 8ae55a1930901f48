import { describe, expect, it } from "vitest";
import { type PageItem, readPageText } from "./text-blocks.ts";

const words = (str: string, y: number, x = 60): PageItem => ({
  str,
  width: str.length * 5,
  height: 11,
  transform: [11, 0, 0, 11, x, y],
});
const begin = (id: string | null): PageItem => ({ type: "beginMarkedContentProps", id });
const END: PageItem = { type: "endMarkedContent" };
const content = (id: string) => ({ type: "content", id });

const ITEMS = [
  [begin("c1"), words("Le loyer", 100), END],
  [begin("c2"), words("Il est payable", 130), words("le premier du mois.", 144), END],
  [begin("c3"), words("• à l’avance", 170), END],
].flat();
const TREE = {
  role: "Document",
  children: [
    { role: "H2", children: [content("c1")] },
    { role: "P", children: [{ role: "Span", children: [content("c2")] }, content("c9")] },
    {
      role: "L",
      children: [{ role: "LI", children: [{ role: "LBody", children: [content("c3")] }] }],
    },
  ],
};
const read = (part: Partial<Parameters<typeof readPageText>[0]> = {}) =>
  readPageText({
    items: ITEMS,
    tree: TREE,
    pageHeight: 842,
    displayed: (matrix) => matrix,
    ...part,
  }).map(({ kind, text }) => [kind, text]);

describe("the text of a tagged page", () => {
  it("is what its author said: headings, paragraphs, items, in the order of the tags", () => {
    expect(read()).toEqual([
      ["heading", "Le loyer"],
      ["paragraph", "Il est payable le premier du mois."],
      ["item", "à l’avance"],
    ]);
    expect(
      read({ tree: { ...TREE, children: [...TREE.children].reverse() } }).map(([kind]) => kind),
    ).toEqual(["item", "paragraph", "heading"]);
  });
  it("has what its author says of a picture", () => {
    const figure = { role: "Figure", alt: "Plan du logement", children: [content("c8")] };
    expect(read({ tree: { ...TREE, children: [...TREE.children, figure] } }).at(-1)).toEqual([
      "paragraph",
      "Image\u00a0: Plan du logement",
    ]);
  });
  it("is read by its looks when the tags leave words out, or there are none", () => {
    const looks = ["Le loyer", "Il est payable le premier du mois.", "à l’avance"];
    for (const tree of [null, { ...TREE, children: TREE.children.slice(0, 2) }])
      expect(read({ tree }).map(([, text]) => text)).toEqual(looks);
  });
  it("stays in its piece of content through another that has no number", () => {
    const items = [begin("c1"), begin(null), words("Le loyer", 100), END, END];
    expect(
      read({
        items,
        tree: { role: "Document", children: [{ role: "H1", children: [content("c1")] }] },
      }),
    ).toEqual([["heading", "Le loyer"]]);
  });
  it("has as many runs as a file can hold, in a time that grows with them", () => {
    const runs = Array.from({ length: 150_000 }, (_, index) =>
      words("a", Math.floor(index / 500) * 12, index % 500),
    );
    const items = [begin("c1"), ...runs, END];
    const began = performance.now();
    expect(
      read({
        items,
        tree: { role: "Document", children: [{ role: "P", children: [content("c1")] }] },
      }),
    ).toHaveLength(1);
    const apart = runs.map((run, index) => ({ ...run, transform: [11, 0, 0, 11, 60, index * 30] }));
    expect(read({ items: apart, tree: null })).toHaveLength(150_000);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
