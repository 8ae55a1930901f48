import { expect, test } from "vitest";
import { ACCOUNT_LIMIT, ADDRESS_LIMIT, beginTry, LOGIN_WINDOW_MS, type LoginFailures } from "./login-limits.ts";

const start = new Date("2026-11-21T10:00:00.000Z");
const MINUTE = 60_000;

/** Tries as often as it may, and gives the waits in minutes between the tries. */
function waits(limit: typeof ACCOUNT_LIMIT, tries: number): number[] {
  let now = start.getTime();
  let known: LoginFailures | null = null;
  const waited: number[] = [];
  for (let n = 0; n < tries; n++) {
    const asked = beginTry(known, limit, new Date(now));
    waited.push(asked.waitMs / MINUTE);
    now += asked.waitMs;
    known = asked.waitMs > 0 ? beginTry(known, limit, new Date(now)).next : asked.next;
  }
  return waited;
}

test("an account waits after five tries, twice as long each time, and starts anew after 15 minutes", () => {
  expect(waits(ACCOUNT_LIMIT, 9)).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8]);
  expect(waits(ACCOUNT_LIMIT, 13).slice(9)).toEqual([0, 0, 0, 0]);
});

test("an address waits for the rest of 15 minutes after twenty tries", () => {
  expect(waits(ADDRESS_LIMIT, 21)).toEqual([...Array(20).fill(0), 15]);
});

test("a locked key is not counted further, and keeps its end", () => {
  const lockedUntil = new Date(start.getTime() + MINUTE);
  const known = { failures: 5, windowStart: start, lockedUntil };
  expect(beginTry(known, ACCOUNT_LIMIT, start)).toEqual({ waitMs: MINUTE, next: known });
});

test("an old window is forgotten", () => {
  const now = new Date(start.getTime() + LOGIN_WINDOW_MS);
  const outcome = beginTry({ failures: 4, windowStart: start, lockedUntil: null }, ACCOUNT_LIMIT, now);
  expect(outcome).toEqual({ waitMs: 0, next: { failures: 1, windowStart: now, lockedUntil: null } });
});
