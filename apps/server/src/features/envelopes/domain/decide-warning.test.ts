import { expect, test } from "vitest";
import { decideWarning } from "./decide-warning.ts";

const deadlineAt = new Date("2026-11-28T17:00:00.000Z");
const hoursBefore = (hours: number) => new Date(deadlineAt.getTime() - hours * 3_600_000);
const open = { status: "sent", deadlineAt, sentAt: hoursBefore(200), warnedDays: null } as const;

test.each([
  [49, null, null],
  [48, null, 2],
  [30, null, 2],
  [30, 2, null],
  [24, 2, 1],
  [24, null, 1],
  [1, 1, null],
  [0, 2, null],
  [-1, null, null],
] as const)("%i hours before the deadline, warned %j days before: %j", (hours, warnedDays, due) => {
  expect(decideWarning({ ...open, warnedDays }, hoursBefore(hours))).toBe(due);
});

test("what was sent after a warning's moment is spared it, not the next", () => {
  const late = { ...open, sentAt: hoursBefore(40) };
  expect(decideWarning(late, hoursBefore(39))).toBeNull();
  expect(decideWarning(late, hoursBefore(24))).toBe(1);
  expect(decideWarning({ ...open, sentAt: hoursBefore(23) }, hoursBefore(22))).toBeNull();
});

test("only an open envelope with a deadline is warned of", () => {
  for (const status of ["draft", "completed", "declined", "expired", "cancelled"] as const)
    expect(decideWarning({ ...open, status }, hoursBefore(24))).toBeNull();
  expect(decideWarning({ ...open, status: "pending" }, hoursBefore(24))).toBe(1);
  expect(decideWarning({ ...open, deadlineAt: null }, hoursBefore(24))).toBeNull();
});
