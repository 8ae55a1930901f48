import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createBoundedQueue, createPrecedence, serialByKey } from "./concurrency.ts";

describe("work by key", () => {
  test("the work of one key runs in order, of two keys side by side", async () => {
    const queue = serialByKey({ places: 2 });
    const seen: string[] = [];
    const work = (name: string) => async () => {
      seen.push(`${name} begins`);
      await turn();
      seen.push(`${name} ends`);
      return name;
    };
    const results = await Promise.all([
      queue.run("a", work("a1")),
      queue.run("a", work("a2")),
      queue.run("b", work("b1")),
    ]);
    expect(results).toEqual(["a1", "a2", "b1"]);
    expect(seen.indexOf("a2 begins")).toBeGreaterThan(seen.indexOf("a1 ends"));
    expect(seen.indexOf("b1 begins")).toBeLessThan(seen.indexOf("a1 ends"));
  });

  test("a key's work goes on after a failure", async () => {
    const queue = serialByKey({ places: 2 });
    const failed = queue.run("a", () => Promise.reject(new Error("no")));
    const next = queue.run("a", () => Promise.resolve("yes"));
    await expect(failed).rejects.toThrow("no");
    await expect(next).resolves.toBe("yes");
  });

  test("no more keys run at once than there are places, and all of them run", async () => {
    const queue = serialByKey({ places: 3 });
    let running = 0;
    let most = 0;
    const done = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        queue
          .run(`key ${index}`, async () => {
            running += 1;
            most = Math.max(most, running);
            await turn();
            running -= 1;
            if (index % 5 === 0) throw new Error("no");
            return index;
          })
          .catch(() => index),
      ),
    );
    expect([most, running, done.length]).toEqual([3, 0, 20]);
  });
});

describe("turns", () => {
  const stays = new AbortController().signal;

  test("turns come one at a time per key, in the order of asking; other keys do not wait", async () => {
    const turns = serialByKey({ longest: 5 });
    const begun: string[] = [];
    const take = async (name: string, key: string) => {
      const end = await turns.take(key, stays);
      begun.push(name);
      return end;
    };
    const first = await take("first", "a");
    const [second, third] = [take("second", "a"), take("third", "a")];
    await take("other", "b");
    expect(begun).toEqual(["first", "other"]);
    first?.();
    first?.();
    const end = await second;
    expect(begun).toEqual(["first", "other", "second"]);
    end?.();
    (await third)?.();
    expect(await turns.take("a", stays)).not.toBeNull();
  });

  test("a turn is refused when too many wait, an aborted wait leaves the line, and the line moves on", async () => {
    const turns = serialByKey({ longest: 2 });
    const end = await turns.take("a", stays);
    const gone = new AbortController();
    const [left, last] = [turns.take("a", gone.signal), turns.take("a", stays)];
    expect(await turns.take("a", stays)).toBeNull();
    gone.abort();
    expect(await left).toBeNull();
    expect(await turns.take("b", gone.signal)).toBeNull();
    end?.();
    expect(await last).not.toBeNull();
  });
});

describe("a bounded queue", () => {
  test("a bounded queue runs up to its concurrency, queues up to its length, and refuses the rest at once", async () => {
    const queue = createBoundedQueue({ concurrency: 2, longest: 3 });
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++running);
      await turn();
      running--;
      return "done";
    };
    const results = await Promise.all(Array.from({ length: 7 }, () => queue(work)));
    expect(most).toBe(2);
    expect(results.map((result) => (result.ok ? result.value : result.error.code))).toEqual([
      ...Array.from({ length: 5 }, () => "done"),
      "service_unavailable",
      "service_unavailable",
    ]);
  });

  test("failed work frees its place", async () => {
    const queue = createBoundedQueue({ concurrency: 1, longest: 1 });
    const failed = queue(() => Promise.reject(new Error("no")));
    const next = queue(() => Promise.resolve("yes"));
    await expect(failed).rejects.toThrow("no");
    await expect(next).resolves.toEqual({ ok: true, value: "yes" });
  });
});

/** Everything due has run by then. */
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
