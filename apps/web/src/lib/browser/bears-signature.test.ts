import { expect, test } from "vitest";
import { bearsSignature } from "../../features/proof/prints/own-files.tsx";

test.each<[string, boolean]>([
  ["%PDF-1.7 1 0 obj <</Type/Sig/ByteRange[0 10 20 30]>>", true],
  ["/ByteRange", true],
  ["%PDF-1.7 /Byte /ByteRang", false],
  ["", false],
])("%s bears a signature: %s", (text, bears) => {
  expect(bearsSignature(new TextEncoder().encode(text))).toBe(bears);
});
