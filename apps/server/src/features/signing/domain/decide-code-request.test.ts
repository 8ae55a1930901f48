import { describe, expect, it } from "vitest";
import { decideCodeRequest, resendIn } from "./decide-code-request.ts";

const now = new Date("2026-11-21T12:00:00Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
const decide = (secondsAgo: number[], wrongTries = 0) => decideCodeRequest({ sentAt: secondsAgo.map(ago), wrongTries, now });

describe("asking for a one-time code", () => {
  it("is granted the first time", () => {
    expect(decide([])).toEqual({ ok: true, value: null });
  });

  it("is refused within 60 seconds, with the seconds left", () => {
    expect(decide([59.2])).toMatchObject({ ok: false, error: { code: "otp_cooldown", params: { seconds: 1 }, retryAfterS: 1 } });
    expect(decide([0])).toMatchObject({ ok: false, error: { code: "otp_cooldown", params: { seconds: 60 } } });
    expect(decide([60]).ok).toBe(true);
  });

  it("is refused the sixth time in an hour, until the oldest of the five is an hour old", () => {
    expect(decide([100, 200, 300, 400]).ok).toBe(true);
    expect(decide([100, 200, 300, 400, 500])).toMatchObject({ ok: false, error: { code: "otp_quota", retryAfterS: 3_100 } });
    expect(decide([100, 200, 300, 400, 3_601]).ok).toBe(true);
  });

  it("security line 37: is refused the eleventh time in a day", () => {
    const ten = Array.from({ length: 10 }, (_, index) => 4_000 + index * 100);
    expect(decide(ten)).toMatchObject({ ok: false, error: { code: "otp_daily_quota", retryAfterS: 86_400 - 4_900 } });
    expect(decide(ten.slice(1)).ok).toBe(true);
  });

  it("is refused once 20 wrong codes were typed, whatever the time", () => {
    expect(decide([], 20)).toMatchObject({ ok: false, error: { code: "otp_locked" } });
    expect(decide([], 19).ok).toBe(true);
  });

  it("tells when a resend is possible", () => {
    expect(resendIn({ sentAt: [ago(10), ago(500)], now })).toBe(50);
    expect(resendIn({ sentAt: [], now })).toBe(0);
  });
});
