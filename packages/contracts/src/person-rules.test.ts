import fc from "fast-check";
import { expect, test } from "vitest";
import { recipientRequest, titleSchema } from "./envelope.ts";
import { emailFault, nameFault, phoneOf, titleFault } from "./person-rules.ts";
import { emailSchema, phoneSchema } from "./schema.ts";

/** Gives the service's first message; null when it accepts. */
function refusal(
  schema: {
    safeParse: (value: unknown) => {
      error?: { issues: readonly { message: string }[] } | undefined;
    };
  },
  text: string,
) {
  return schema.safeParse(text).error?.issues[0]?.message ?? null;
}

const addresses = fc.oneof(
  fc.emailAddress(),
  fc.constantFrom(
    "",
    "  ",
    "camille",
    "acc@exémple.fr",
    `${"x".repeat(65)}@a.fr`,
    `a@${"b".repeat(250)}.fr`,
    "o'neil@a.fr ",
    ".a@b.fr",
    "a@b",
  ),
  fc.string({
    unit: fc.constantFrom("a", "É", ".", "@", "'", "-", "+", " ", "_", "9"),
    maxLength: 20,
  }),
);

test("a page refuses the same addresses, names and numbers as the service, with the same sentences", () => {
  fc.assert(fc.property(addresses, (text) => emailFault(text) === refusal(emailSchema, text)));
  const names = fc.oneof(
    fc.string({ unit: "binary", maxLength: 160 }),
    fc.constantFrom("", "\u202e", "x".repeat(151), "x".repeat(150)),
  );
  const { full_name } = recipientRequest.shape;
  fc.assert(fc.property(names, (text) => nameFault(text) === refusal(full_name, text)));
  const titles = fc.oneof(
    fc.string({ unit: "binary", maxLength: 210 }),
    fc.string({
      unit: fc.constantFrom("a", "é", ".", "f", "1", " ", "/", ":", "<", "а", "w"),
      maxLength: 12,
    }),
  );
  fc.assert(fc.property(titles, (text) => titleFault(text) === refusal(titleSchema, text)));
  const numbers = fc.string({
    unit: fc.constantFrom("0", "6", "+", " ", ".", "-", "(", "3", "\u202f", "x"),
    maxLength: 14,
  });
  fc.assert(
    fc.property(numbers, (text) => {
      const taken = phoneSchema.safeParse(text);
      return phoneOf(text) === (taken.success ? taken.data : null);
    }),
  );
});

test.each([
  ["06 12 34 56 78", "+33612345678"],
  ["0033612345678", "+33612345678"],
  ["", ""],
  ["12", null],
])("stores the number « %s » as %j", (typed, kept) => {
  expect(phoneOf(typed)).toBe(kept);
});
