import { expect, test } from "vitest";
import { announcedAt, isNews } from "./deadline-news.ts";

const NOW = new Date("2027-01-11T09:00:00Z");
const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

test("a deadline is told once it has stood for two minutes, within the hour of it at once", () => {
  expect(announcedAt(inMinutes(60), NOW)).toEqual(inMinutes(2));
  expect(announcedAt(null, NOW)).toEqual(inMinutes(2));
  expect(announcedAt(inMinutes(59), NOW)).toBeNull();
});

test("what somebody was told last is no news, unless their link had stopped meanwhile", () => {
  const known = { knownDeadlineAt: inMinutes(90), reopened: false };
  expect(isNews(known, inMinutes(90))).toBe(false);
  expect(isNews(known, inMinutes(91))).toBe(true);
  expect(isNews({ ...known, reopened: true }, inMinutes(90))).toBe(true);
  expect(isNews({ knownDeadlineAt: null, reopened: false }, inMinutes(90))).toBe(true);
});
