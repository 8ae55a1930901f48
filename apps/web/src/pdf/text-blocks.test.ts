import { describe, expect, it } from "vitest";
import { type PageItem, type TextRun, readPageText, textBlocks } from "./text-blocks.ts";

/** `y`: points from the top; as wide as its words. */
const line = (text: string, y: number, { size = 11, x = 60 } = {}): TextRun => ({
  text,
  x,
  y,
  width: text.length * size * 0.5,
  size,
});
const read = (...runs: TextRun[]) => textBlocks(runs, 842).map(({ kind, text }) => [kind, text]);
const LONG =
  "Le prestataire s’engage à fournir au client, dans les délais convenus, l’ensemble des livrables";

describe("the text of a page as it is read aloud", () => {
  it("makes one paragraph of the lines that follow one another, and another after a gap", () => {
    expect(
      read(line(LONG, 100), line("prévus à l’annexe.", 114), line("Le client les reçoit.", 150)),
    ).toEqual([
      ["paragraph", `${LONG} prévus à l’annexe.`],
      ["paragraph", "Le client les reçoit."],
    ]);
  });
  it("ends a paragraph with a sentence that stops well before the margin", () => {
    expect(read(line(LONG, 100), line("Fin.", 114), line(LONG, 128)).length).toBe(2);
  });
  it("takes larger letters, capitals and numbered titles for headings", () => {
    expect(
      read(
        line("Bail d’habitation", 60, { size: 18 }),
        line(LONG, 100),
        line("CLAUSES GÉNÉRALES", 130),
        line("Article 2 – Loyer", 160),
        line(LONG, 174),
      ),
    ).toEqual([
      ["heading", "Bail d’habitation"],
      ["paragraph", LONG],
      ["heading", "CLAUSES GÉNÉRALES"],
      ["heading", "Article 2 – Loyer"],
      ["paragraph", LONG],
    ]);
  });
  it("makes an item of each bullet, with the lines that continue it", () => {
    expect(
      read(line("• premier point,", 100), line("et sa suite", 114), line("– second point", 128)),
    ).toEqual([
      ["item", "premier point, et sa suite"],
      ["item", "second point"],
    ]);
  });
  it("joins the runs of a line, with a space where one is seen, and words cut at the line's end", () => {
    expect(
      read(
        line("Fait", 100),
        line("à", 100, { x: 85 }),
        line("Di", 100, { x: 94 }),
        line("jon", 100, { x: 105 }),
      ),
    ).toEqual([["paragraph", "Fait à Dijon"]]);
    expect(
      read(line("une sous-", 100), line("traitance, une presta\u00ad", 114), line("tion", 128)),
    ).toEqual([["paragraph", "une sous-traitance, une prestation"]]);
  });
  it("says where each part begins, in fractions of the page", () => {
    expect(textBlocks([line("Objet", 95.2)], 842)).toEqual([
      { kind: "paragraph", text: "Objet", y: 0.1 },
    ]);
  });
  it("gives nothing for a page that is a picture", () => {
    expect(textBlocks([], 842)).toEqual([]);
    expect(textBlocks([line("  ", 100)], 842)).toEqual([]);
  });
});

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
const readTagged = (part: Partial<Parameters<typeof readPageText>[0]> = {}) =>
  readPageText({
    items: ITEMS,
    tree: TREE,
    pageHeight: 842,
    displayed: (matrix) => matrix,
    ...part,
  }).map(({ kind, text }) => [kind, text]);

describe("the text of a tagged page", () => {
  it("is what its author said: headings, paragraphs, items, in the order of the tags", () => {
    expect(readTagged()).toEqual([
      ["heading", "Le loyer"],
      ["paragraph", "Il est payable le premier du mois."],
      ["item", "à l’avance"],
    ]);
    expect(
      readTagged({ tree: { ...TREE, children: [...TREE.children].reverse() } }).map(
        ([kind]) => kind,
      ),
    ).toEqual(["item", "paragraph", "heading"]);
  });
  it("has what its author says of a picture", () => {
    const figure = { role: "Figure", alt: "Plan du logement", children: [content("c8")] };
    expect(readTagged({ tree: { ...TREE, children: [...TREE.children, figure] } }).at(-1)).toEqual([
      "paragraph",
      "Image\u00a0: Plan du logement",
    ]);
  });
  it("is read by its looks when the tags leave words out, or there are none", () => {
    const looks = ["Le loyer", "Il est payable le premier du mois.", "à l’avance"];
    for (const tree of [null, { ...TREE, children: TREE.children.slice(0, 2) }])
      expect(readTagged({ tree }).map(([, text]) => text)).toEqual(looks);
  });
  it("stays in its piece of content through another that has no number", () => {
    const items = [begin("c1"), begin(null), words("Le loyer", 100), END, END];
    expect(
      readTagged({
        items,
        tree: { role: "Document", children: [{ role: "H1", children: [content("c1")] }] },
      }),
    ).toEqual([["heading", "Le loyer"]]);
  });
  it("reads sixty thousand runs in a time that grows with their number", {
    timeout: 60_000,
  }, () => {
    const runs = Array.from({ length: 60_000 }, (_, index) =>
      words("a", Math.floor(index / 500) * 12, index % 500),
    );
    const items = [begin("c1"), ...runs, END];
    expect(
      readTagged({
        items,
        tree: { role: "Document", children: [{ role: "P", children: [content("c1")] }] },
      }),
    ).toHaveLength(1);
    const apart = runs.map((run, index) => ({ ...run, transform: [11, 0, 0, 11, 60, index * 30] }));
    expect(readTagged({ items: apart, tree: null })).toHaveLength(60_000);
  });
});
