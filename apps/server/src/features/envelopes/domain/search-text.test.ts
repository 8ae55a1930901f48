import { describe, expect, it } from "vitest";
import { containsPattern, envelopeText, searchText } from "./search-text.ts";

describe("the text of a search", () => {
  it.each([
    ["Éloïse Lefèvre", "eloise lefevre"],
    ["Zoë ŒUVRARD", "zoe oeuvrard"],
    ["Ÿvonne  Đặng\nJørgen Michał", "yvonne dang jorgen michal"],
    ["L’avenant", "l'avenant"],
  ])("takes the case and the accents off %s", (text, expected) => {
    expect(searchText(text)).toBe(expected);
  });

  it("of an envelope ends its title before anything that a longer one goes on with", () => {
    const texts = ["Bail\t2", "bail", "Bail!", "Bail-type", "Baïl é"].map((title) => envelopeText(title, "Zoë"));
    expect(texts.toSorted().map((text) => text.split("\n"))).toEqual(
      ["bail", "bail 2", "bail e", "bail!", "bail-type"].map((title) => [title, "zoe"]),
    );
    expect(envelopeText("ﷺ".repeat(200), "Zoë")).toHaveLength(800);
  });

  it("looks for %, _ and \\ as they are", () => {
    expect(containsPattern("50 % _\\")).toBe("%50 \\% \\_\\\\%");
  });
});
