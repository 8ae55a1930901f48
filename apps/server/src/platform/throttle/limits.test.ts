import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { networkOf } from "../addresses.ts";
import { drawCode } from "../one-time-code/draw-code.ts";
import { createMinuteCounter, hitThrottle, sweepThrottles, takeBackHit } from "./throttle.ts";

describe("a throttle", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const now = new Date("2026-11-21T10:00:10.000Z");
  const rule = (key: string, at = now) => ({ key, limit: 3, windowS: 60, now: at });

  test("a throttle allows its limit, then gives the time to wait", async () => {
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

  test("each key and each window counts on its own", async () => {
    for (let hit = 1; hit <= 4; hit++) await hitThrottle(database.db, rule("b"));
    expect((await hitThrottle(database.db, rule("c"))).allowed).toBe(true);
    expect(
      (await hitThrottle(database.db, rule("b", new Date("2026-11-21T10:01:00.000Z")))).allowed,
    ).toBe(true);
  });

  test("exactly the limit passes when all come at once", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => hitThrottle(database.db, rule("d"))),
    );
    expect(outcomes.filter((outcome) => outcome.allowed)).toHaveLength(3);
  });

  test("a try counts by its weight", async () => {
    expect((await hitThrottle(database.db, { ...rule("f"), weight: 2 })).allowed).toBe(true);
    expect((await hitThrottle(database.db, { ...rule("f"), weight: 2 })).allowed).toBe(false);
  });

  test("a try is cancelled, and old windows are deleted", async () => {
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
  test("a minute counter allows its number per key, gives the time to wait, and starts again", () => {
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

describe("one-time codes", () => {
  const bytesOf = (...values: number[]) => {
    const queue = [...values];
    return () => new Uint8Array(new Uint32Array([queue.shift() ?? 0]).buffer).reverse();
  };

  test("a code keeps its leading zeros", () => {
    expect(drawCode(bytesOf(42))).toBe("000042");
    expect(drawCode(bytesOf(123_999_999))).toBe("999999");
  });

  test("a biased draw is repeated", () => {
    expect(drawCode(bytesOf(4_294_000_000, 7))).toBe("000007");
    expect(drawCode(bytesOf(4_293_999_999))).toBe("999999");
  });
});
