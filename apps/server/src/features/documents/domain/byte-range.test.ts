import { describe, expect, it } from "vitest";
import { parseByteRange } from "./byte-range.ts";

describe("a range of bytes", () => {
  it.each([
    ["bytes=0-9", { start: 0, end: 9 }],
    ["bytes=90-", { start: 90, end: 99 }],
    ["bytes=90-1000", { start: 90, end: 99 }],
    ["bytes=-10", { start: 90, end: 99 }],
    ["bytes=-1000", { start: 0, end: 99 }],
    ["bytes=99-99", { start: 99, end: 99 }],
    ["bytes=100-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=9-0", null],
    ["bytes=0-1,5-6", null],
    ["bytes=-", null],
    ["bytes=a-b", null],
    ["lines=0-9", null],
    [undefined, null],
  ])("%s of 100 bytes is %j", (header, expected) => {
    expect(parseByteRange(header, 100)).toEqual(expected);
  });
});
