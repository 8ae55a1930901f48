import { asciiAddress } from "@paraphe/contracts";
import { expect, test } from "vitest";
import { unicodeAddress } from "../../features/envelopes/prepare/draft/draft.ts";

test.each([
  "acc@exémple.fr",
  "a@münchen.de",
  "a@bücher.straße.example",
  "a@例え.jp",
  "a@пример.example",
  "a@exemple.fr",
  "à demi",
  "",
])("« %s » is shown as it was typed", (typed) => {
  expect(unicodeAddress(asciiAddress(typed))).toBe(typed);
});

test.each(["a@xn--.fr", "a@xn--!!.fr", "a@xn--99999999999.fr", "a@xn--exemple-.fr", "a@xn--a.fr"])(
  "« %s », which is no name, is left as it is",
  (address) => {
    expect(unicodeAddress(address)).toBe(address);
  },
);
