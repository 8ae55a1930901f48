import { firstUnprinted } from "@paraphe/contracts";
import { describe, expect, it } from "vitest";
import { loadPrintableCharacters } from "./printable-characters.ts";

const printable = await loadPrintableCharacters();

describe("before anything is printed, the fonts", () => {
  it("draw the names of Europe and of Vietnam, French punctuation and its spaces", () => {
    const names = ["Éloïse Lefèvre", "François Müller", "Zoë Œuvrard", "Maëlys N’Guessan", "Ÿvonne", "Michał", "Jørgen", "Đặng"];
    expect(printable.firstMissing(`${names.join("")}« 12\u202f500 € »\u00a0: d’accord\n— oui\u2011da`)).toBeNull();
    for (const hand of ["caveat", "la-belle-aurore", "playwrite-fr-moderne", "herr-von-muellerhoff"] as const) {
      expect(printable.firstMissingInHand(names.join(" "), hand)).toBeNull();
    }
  });

  it("name the first character that none of them draws", () => {
    expect(printable.firstMissing("Bail 日本")).toBe("日");
    expect(printable.firstMissing("Merci 😀")).toBe("😀");
    expect(printable.firstMissingInHand("山", "caveat")).toBe("山");
  });

  it("are what the pages know of them, character by character", () => {
    const apart: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      // Half of a pair is no character (Unicode §3.9, D76).
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCodePoint(code);
      if (firstUnprinted(character) !== printable.firstMissing(character)) apart.push(`U+${code.toString(16)}`);
    }
    expect(apart).toEqual([]);
    expect(firstUnprinted("Zoé 🌸")).toBe("🌸");
    expect(firstUnprinted("Łucja Đặng-Œuvrard")).toBeNull();
  });
});
