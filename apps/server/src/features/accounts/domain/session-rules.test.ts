import { expect, test } from "vitest";
import { accessEnd, judgeRefresh, refreshEnd, sessionEnd } from "./session-rules.ts";

const now = new Date("2026-11-21T10:00:00.000Z");
const after = (ms: number) => new Date(now.getTime() + ms);
const HOUR = 3_600_000;

test("a session ends after 12 hours, or 30 days when remembered", () => {
  expect(sessionEnd(now, false)).toEqual(after(12 * HOUR));
  expect(sessionEnd(now, true)).toEqual(after(30 * 24 * HOUR));
});

test("a refresh token ends with the idle time, never after its session", () => {
  expect(refreshEnd(now, { remembered: false, expiresAt: after(12 * HOUR) })).toEqual(after(2 * HOUR));
  expect(refreshEnd(now, { remembered: true, expiresAt: after(30 * 24 * HOUR) })).toEqual(after(14 * 24 * HOUR));
  expect(refreshEnd(now, { remembered: true, expiresAt: after(HOUR) })).toEqual(after(HOUR));
});

test("an access token ends after 15 minutes, never after its session", () => {
  expect(accessEnd(now, { expiresAt: after(HOUR) })).toEqual(after(900_000));
  expect(accessEnd(now, { expiresAt: after(1_000) })).toEqual(after(1_000));
});

test.each([
  [{ expiresAt: after(1), rotatedAt: null }, "renew"],
  [{ expiresAt: now, rotatedAt: null }, "expired"],
  [{ expiresAt: after(1), rotatedAt: after(-30_000) }, "renew"],
  [{ expiresAt: after(1), rotatedAt: after(-30_001) }, "reused"],
  [{ expiresAt: now, rotatedAt: after(-30_001) }, "reused"],
])("the refresh token %j is %s", (token, worth) => {
  expect(judgeRefresh(token, now)).toBe(worth);
});
