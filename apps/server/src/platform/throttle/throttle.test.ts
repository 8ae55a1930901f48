import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { hitThrottle, sweepThrottles, takeBackHit } from "./throttle.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const now = new Date("2026-11-21T10:00:10.000Z");
const rule = (key: string, at = now) => ({ key, limit: 3, windowS: 60, now: at });

test("allows up to the limit, then says how long to wait", async () => {
  for (let hit = 1; hit <= 3; hit++)
    expect(await hitThrottle(database.db, rule("a"))).toEqual({ allowed: true, retryAfterS: 0, remaining: 3 - hit });
  expect(await hitThrottle(database.db, rule("a"))).toEqual({ allowed: false, retryAfterS: 50, remaining: 0 });
});

test("counts each key and each window for itself", async () => {
  for (let hit = 1; hit <= 4; hit++) await hitThrottle(database.db, rule("b"));
  expect((await hitThrottle(database.db, rule("c"))).allowed).toBe(true);
  expect((await hitThrottle(database.db, rule("b", new Date("2026-11-21T10:01:00.000Z")))).allowed).toBe(true);
});

test("lets exactly the limit through when all come at once", async () => {
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => hitThrottle(database.db, rule("d"))));
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
