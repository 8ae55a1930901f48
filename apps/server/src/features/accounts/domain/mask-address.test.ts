import { expect, it } from "vitest";
import { maskEmail, maskPhone } from "./mask-address.ts";

it("shows an e-mail address by its first letter and its domain", () => {
  expect(maskEmail("camille.durand@exemple.fr")).toBe("c•••@exemple.fr");
  expect(maskEmail("a@exemple.fr")).toBe("a•••@exemple.fr");
  expect(maskEmail("sans-arobase")).toBe("•••");
});

it("shows a phone number by its last four digits", () => {
  expect(maskPhone("+33612344567")).toBe("•• •• •• 45 67");
});
