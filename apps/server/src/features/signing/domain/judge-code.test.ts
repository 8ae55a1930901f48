import { describe, expect, it } from "vitest";
import { judgeCode, type SentCode } from "./judge-code.ts";

const now = new Date("2026-11-21T12:00:00Z");
const live: SentCode = { expiresAt: new Date("2026-11-21T12:05:00Z"), usedAt: null, killedAt: null, wrongTries: 0 };
const judge = (latest: SentCode | null, { matches = false, linkWrongTries = 0 } = {}) =>
  judgeCode({ latest, matches, linkWrongTries, now });

describe("a typed code", () => {
  it("is accepted when it is the live one", () => {
    expect(judge(live, { matches: true })).toEqual({ kind: "verified" });
  });

  it("counts down five tries, then kills the code", () => {
    const left = [0, 1, 2, 3, 4].map((wrongTries) => judge({ ...live, wrongTries }));
    expect(left.map((verdict) => verdict.kind === "wrong" && verdict.problem.extensions?.attempts_left)).toEqual([4, 3, 2, 1, 0]);
    expect(left.map((verdict) => verdict.kind === "wrong" && verdict.kills)).toEqual([false, false, false, false, true]);
    expect(left[3]).toMatchObject({ problem: { params: { hint: "Il vous reste 1 essai." } } });
    expect(left[4]).toMatchObject({ problem: { params: { hint: "Demandez un nouveau code." } } });
  });

  it.each([
    ["expired", { ...live, expiresAt: now }],
    ["used", { ...live, usedAt: now }],
    ["killed by a newer one", { ...live, killedAt: now }],
  ])("gets the answer of a wrong one when it is %s", (_, latest) => {
    expect(judge(latest, { matches: true })).toEqual(judge(live));
  });

  it("gets the answer of a wrong one when none was ever sent", () => {
    expect(judge(null, { matches: true })).toEqual(judge(live));
    expect(judge(null, { linkWrongTries: 7 })).toMatchObject({ problem: { code: "otp_invalid", extensions: { attempts_left: 0 } } });
  });

  it("is not accepted after five wrong ones, even when right", () => {
    expect(judge({ ...live, wrongTries: 5 }, { matches: true }).kind).toBe("wrong");
  });

  it("is not looked at once the link is frozen by 20 wrong ones", () => {
    expect(judge(live, { matches: true, linkWrongTries: 20 })).toMatchObject({ kind: "frozen", problem: { code: "otp_locked" } });
    expect(judge(live, { matches: true, linkWrongTries: 19 }).kind).toBe("verified");
  });
});
