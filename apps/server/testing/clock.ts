import type { Clock } from "../src/platform/clock.ts";

export type TestClock = Clock & {
  set(moment: Date): void;
  advance(by: { seconds?: number; minutes?: number; hours?: number; days?: number }): void;
};

/** Stands still until moved. */
export function testClock(start = new Date("2026-11-21T10:00:00.000Z")): TestClock {
  let now = start.getTime();
  return Object.assign(() => new Date(now), {
    set(moment: Date) {
      now = moment.getTime();
    },
    advance(by: { seconds?: number; minutes?: number; hours?: number; days?: number }) {
      const hours = (by.days ?? 0) * 24 + (by.hours ?? 0);
      now += ((hours * 60 + (by.minutes ?? 0)) * 60 + (by.seconds ?? 0)) * 1_000;
    },
  });
}
