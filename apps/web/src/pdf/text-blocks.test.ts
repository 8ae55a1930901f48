import { describe, expect, it } from "vitest";
import { textBlocks, type TextRun } from "./text-blocks.ts";

/** A line at so many points from the top, as wide as its words. */
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
