import { expect, test } from "vitest";
import { slugify } from "./slugify.ts";

test("writes a title as a strict lowercase file name", () => {
  expect(slugify("Contrat d’œuvre – Été 2026 (v2)")).toBe("contrat-doeuvre-ete-2026-v2");
  expect(slugify("  Ça & là  ")).toBe("ca-la");
});

test("a title without any letter is still a name", () => {
  expect(slugify("…")).toBe("document");
});
