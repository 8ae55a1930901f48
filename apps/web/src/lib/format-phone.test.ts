import { phoneSchema } from "@paraphe/contracts";
import { expect, test } from "vitest";
import { formatPhone } from "./slugify.ts";

test("a French number is written as it is said, and read back as it was kept", () => {
  expect(formatPhone("+33612345678")).toBe("06 12 34 56 78");
  expect(phoneSchema.parse(formatPhone("+33612345678"))).toBe("+33612345678");
});

test.each(["0033612345678", "00 33 6 12 34 56 78", "06.12.34.56.78"])(
  "%s is the same number as +33612345678",
  (typed) => {
    expect(phoneSchema.parse(typed)).toBe("+33612345678");
  },
);

test("another country's number stays as it is kept", () => {
  expect(formatPhone("+3225551212")).toBe("+3225551212");
});
