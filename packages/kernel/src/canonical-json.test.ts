import { expect, test } from "vitest";
import { canonicalBytes, canonicalJson } from "./canonical-json.ts";

// RFC 8785 §3.2.2 and §3.2.3.
test("writes numbers, strings and the order of members as RFC 8785", () => {
  expect(
    canonicalJson({
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    }),
  ).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
  expect(
    canonicalJson({
      "\u20ac": 1,
      "\r": 2,
      "\ufb33": 3,
      "1": 4,
      "\u{1f600}": 5,
      "\u0080": 6,
      "\u00f6": 7,
    }),
  ).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}');
});

test("omits undefined members, and refuses what JSON cannot write", () => {
  expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, () => 1])
    expect(() => canonicalJson(value)).toThrow(TypeError);
});

test("gives the canonical text in UTF-8", () => {
  expect(canonicalBytes("é")).toEqual(Uint8Array.of(0x22, 0xc3, 0xa9, 0x22));
});
