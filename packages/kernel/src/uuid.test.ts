import { describe, expect, test } from "vitest";
import { createIdMaker } from "./bytes.ts";

describe("ids", () => {
  test("gives UUIDs of version 7 that begin with the time (RFC 9562, appendix A.6)", () => {
    const newId = createIdMaker(
      () => new Date("2022-02-22T19:22:22.000Z"),
      (length) => new Uint8Array(length).fill(0xff),
    );
    expect(newId()).toBe("017f22e2-79b0-7fff-bfff-ffffffffffff");
  });

  test("gives ids that sort by time", () => {
    let now = 1_000_000_000_000;
    const newId = createIdMaker(
      () => new Date((now += 1)),
      (length) => crypto.getRandomValues(new Uint8Array(length)),
    );
    const ids = Array.from({ length: 100 }, newId);
    expect(ids.toSorted()).toEqual(ids);
  });
});
