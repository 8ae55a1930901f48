import { expect, it } from "vitest";
import { drawCode } from "./draw-code.ts";

const bytesOf = (...values: number[]) => {
  const queue = [...values];
  return () => new Uint8Array(new Uint32Array([queue.shift() ?? 0]).buffer).reverse();
};

it("keeps leading zeros", () => {
  expect(drawCode(bytesOf(42))).toBe("000042");
  expect(drawCode(bytesOf(123_999_999))).toBe("999999");
});

it("draws again instead of favouring small codes", () => {
  expect(drawCode(bytesOf(4_294_000_000, 7))).toBe("000007");
  expect(drawCode(bytesOf(4_293_999_999))).toBe("999999");
});
