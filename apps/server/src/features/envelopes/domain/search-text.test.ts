import { describe, expect, it } from "vitest";
import { containsPattern, searchText } from "./search-text.ts";

describe("the text of a search", () => {
  it.each([
    ["Éloïse Lefèvre", "eloise lefevre"],
    ["Zoë ŒUVRARD", "zoe oeuvrard"],
    ["Ÿvonne  Đặng\nJørgen Michał", "yvonne dang jorgen michal"],
    ["L’avenant", "l'avenant"],
  ])("takes the case and the accents off %s", (text, expected) => {
    expect(searchText(text)).toBe(expected);
  });

  it("looks for %, _ and \\ as they are", () => {
    expect(containsPattern("50 % _\\")).toBe("%50 \\% \\_\\\\%");
  });
});
