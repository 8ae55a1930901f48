import { describe, expect, test } from "vitest";
import { latinBytes } from "../pdf/incremental-update.ts";
import { literalStringEnd } from "./same-value.ts";

describe("a literal string", () => {
  test.each([
    ["(a(b)c)", "a(b)c"],
    ["(a\rb\r\nc\nd)", "a\nb\nc\nd"],
    ["(a\\\rb\\\r\nc\\\nd)", "abcd"],
    ["(\\n\\r\\t\\b\\f\\(\\)\\\\\\x)", "\n\r\t\b\f()\\x"],
    ["(\\0531\\53\\7)", "+1+\u0007"],
    ["()", ""],
  ])("the literal string %j has the value %j", (written, said) => {
    expect(literalStringEnd(latinBytes(`${written}/A`), 0, latinBytes(said))).toBe(written.length);
  });

  test.each([
    ["(ab)", "a"],
    ["(a)", "ab"],
    ["(a\\101)", "aB"],
    ["(a\r)", "a\r"],
    ["(a", "a"],
  ])("the literal string %j has not the value %j", (written, other) => {
    expect(literalStringEnd(latinBytes(written), 0, latinBytes(other))).toBe(-1);
  });
});
