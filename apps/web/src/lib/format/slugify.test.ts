import { phoneSchema } from "@paraphe/contracts";
import { expect, test } from "vitest";
import { formatPhone, shortHash, slugify } from "./slugify.ts";

test("writes a title as a strict lowercase file name", () => {
  expect(slugify("Contrat d’œuvre – Été 2026 (v2)")).toBe("contrat-doeuvre-ete-2026-v2");
  expect(slugify("  Ça & là  ")).toBe("ca-la");
});

test("a title without any letter is still a name", () => {
  expect(slugify("…")).toBe("document");
});

/** Reference values of FNV-1a (32 bits), draft-eastlake-fnv §6. */
test.each([
  ["", "811c9dc5"],
  ["a", "e40c292c"],
  ["foobar", "bf9cf968"],
])("the short name of '%s' is %s", (text, name) => expect(shortHash(text)).toBe(name));

test("a French number is written in pairs of digits, and read back unchanged", () => {
  expect(formatPhone("+33612345678")).toBe("06 12 34 56 78");
  expect(phoneSchema.parse(formatPhone("+33612345678"))).toBe("+33612345678");
});

test.each(["0033612345678", "00 33 6 12 34 56 78", "06.12.34.56.78"])(
  "%s is the same number as +33612345678",
  (typed) => {
    expect(phoneSchema.parse(typed)).toBe("+33612345678");
  },
);

test("another country's number stays as it is stored", () => {
  expect(formatPhone("+3225551212")).toBe("+3225551212");
});
