import { describe, expect, test } from "vitest";
import { createPrecedence } from "./precedence.ts";

/** After everything due has run. */
async function hasResolved(promise: Promise<void>): Promise<boolean> {
  const pending = Symbol("pending");
  const next = new Promise((resolve) => setImmediate(resolve, pending));
  return (await Promise.race([promise, next])) !== pending;
}

describe("background work", () => {
  test("background work begins at once without foreground work", async () => {
    expect(await hasResolved(createPrecedence().giveWay())).toBe(true);
  });

  test("background work begins when the last foreground work ends; a second end does not count", async () => {
    const precedence = createPrecedence();
    const ends = [precedence.begin(), precedence.begin()];
    const way = precedence.giveWay();
    ends[0]?.();
    ends[0]?.();
    expect(await hasResolved(way)).toBe(false);
    ends[1]?.();
    expect(await hasResolved(way)).toBe(true);
  });

  test("many waiting lanes cause no warning of Node", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    const precedence = createPrecedence();
    const end = precedence.begin();
    const ways = Promise.all(Array.from({ length: 40 }, () => precedence.giveWay()));
    end();
    await ways;
    await new Promise(setImmediate);
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  test("background work begins beside endless foreground work", async () => {
    const precedence = createPrecedence();
    precedence.begin();
    await precedence.giveWay();
  });
});
