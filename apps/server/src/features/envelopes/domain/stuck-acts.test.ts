import { expect, test } from "vitest";
import { isStuck } from "./stuck-acts.ts";

const signedAt = new Date("2026-11-21T10:00:00Z");
const after = (ms: number) => new Date(signedAt.getTime() + ms);
const act = (failedTries: number) => ({ id: "a", recipientId: "r", signedAt, failedTries });

test("an act is stuck after twenty failures, or a whole day", () => {
  expect(isStuck(act(19), after(1_000))).toBe(false);
  expect(isStuck(act(20), after(1_000))).toBe(true);
  expect(isStuck(act(0), after(86_399_999))).toBe(false);
  expect(isStuck(act(0), after(86_400_000))).toBe(true);
});
