import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { createBoundedQueue } from "../bounded-queue.ts";
import { drawCode } from "../one-time-code/draw-code.ts";
import { createTurns } from "./create-turns.ts";
import {
  createMinuteCounter,
  hitThrottle,
  networkOf,
  sweepThrottles,
  takeBackHit,
} from "./throttle.ts";

describe("a throttle", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const now = new Date("2026-11-21T10:00:10.000Z");
  const rule = (key: string, at = now) => ({ key, limit: 3, windowS: 60, now: at });

  test("allows up to the limit, then says how long to wait", async () => {
    for (let hit = 1; hit <= 3; hit++)
      expect(await hitThrottle(database.db, rule("a"))).toEqual({
        allowed: true,
        retryAfterS: 0,
        remaining: 3 - hit,
      });
    expect(await hitThrottle(database.db, rule("a"))).toEqual({
      allowed: false,
      retryAfterS: 50,
      remaining: 0,
    });
  });

  test("counts each key and each window for itself", async () => {
    for (let hit = 1; hit <= 4; hit++) await hitThrottle(database.db, rule("b"));
    expect((await hitThrottle(database.db, rule("c"))).allowed).toBe(true);
    expect(
      (await hitThrottle(database.db, rule("b", new Date("2026-11-21T10:01:00.000Z")))).allowed,
    ).toBe(true);
  });

  test("lets exactly the limit through when all come at once", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => hitThrottle(database.db, rule("d"))),
    );
    expect(outcomes.filter((outcome) => outcome.allowed)).toHaveLength(3);
  });

  test("counts a try for as many as it stands for", async () => {
    expect((await hitThrottle(database.db, { ...rule("f"), weight: 2 })).allowed).toBe(true);
    expect((await hitThrottle(database.db, { ...rule("f"), weight: 2 })).allowed).toBe(false);
  });

  test("takes a try back, and sweeps what is old", async () => {
    for (let hit = 1; hit <= 3; hit++) await hitThrottle(database.db, rule("e"));
    await takeBackHit(database.db, rule("e"));
    expect((await hitThrottle(database.db, rule("e"))).allowed).toBe(true);
    expect((await hitThrottle(database.db, rule("e"))).allowed).toBe(false);
    await sweepThrottles(database.db, new Date("2026-11-22T00:00:00.000Z"));
    const { count } = await database.db
      .selectFrom("throttles")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    expect(count).toBe(0);
  });
});

describe("networks", () => {
  test.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2:ffff::9", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.7", "64:ff9b:0:0::/64"],
    ["", ""],
  ])("%s is counted as %s", (ip, network) => {
    expect(networkOf(ip)).toBe(network);
  });
});

describe("a counter of minutes", () => {
  test("allows so many a minute to each key, says how long to wait, and begins anew", () => {
    const counter = createMinuteCounter(2);
    const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, seconds));
    expect(
      [counter.hit("a", at(0)), counter.hit("a", at(10))].map(({ allowed }) => allowed),
    ).toEqual([true, true]);
    expect(counter.hit("a", at(20))).toEqual({ allowed: false, retryAfterS: 40 });
    expect(counter.hit("b", at(20)).allowed).toBe(true);
    expect(counter.hit("a", at(60)).allowed).toBe(true);
  });
});

describe("turns", () => {
  const stays = new AbortController().signal;

  test("one at a time for each key, in the order of asking; another key waits for nobody", async () => {
    const turns = createTurns({ longest: 5 });
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

  test("too many who wait are refused, who has gone waits no more, and the line moves on", async () => {
    const turns = createTurns({ longest: 2 });
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
  test("runs so much at a time, keeps so much waiting, and refuses what comes beyond at once", async () => {
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

  test("gives the place of failed work on", async () => {
    const queue = createBoundedQueue({ concurrency: 1, longest: 1 });
    const failed = queue(() => Promise.reject(new Error("no")));
    const next = queue(() => Promise.resolve("yes"));
    await expect(failed).rejects.toThrow("no");
    await expect(next).resolves.toEqual({ ok: true, value: "yes" });
  });
});

describe("one-time codes", () => {
  const bytesOf = (...values: number[]) => {
    const queue = [...values];
    return () => new Uint8Array(new Uint32Array([queue.shift() ?? 0]).buffer).reverse();
  };

  test("keeps leading zeros", () => {
    expect(drawCode(bytesOf(42))).toBe("000042");
    expect(drawCode(bytesOf(123_999_999))).toBe("999999");
  });

  test("draws again instead of favouring small codes", () => {
    expect(drawCode(bytesOf(4_294_000_000, 7))).toBe("000007");
    expect(drawCode(bytesOf(4_293_999_999))).toBe("999999");
  });
});
