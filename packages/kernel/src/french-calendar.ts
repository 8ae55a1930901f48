import { addDays } from "./paris-days.ts";

/** Month and day. Source: code du travail, art. L3133-1. */
const FIXED: ReadonlyMap<string, string> = new Map([
  ["01-01", "Jour de l’an"],
  ["05-01", "Fête du Travail"],
  ["05-08", "Victoire 1945"],
  ["07-14", "Fête nationale"],
  ["08-15", "Assomption"],
  ["11-01", "Toussaint"],
  ["11-11", "Armistice 1918"],
  ["12-25", "Noël"],
]);
/** Days after Easter Sunday. */
const MOVING: readonly (readonly [number, string])[] = [
  [1, "Lundi de Pâques"],
  [39, "Ascension"],
  [50, "Lundi de Pentecôte"],
];

/**
 * The holiday (`YYYY-MM-DD`) of metropolitan France; null for none, and for Alsace-Moselle's own.
 */
export function frenchHoliday(day: string): string | null {
  const fixed = FIXED.get(day.slice(5));
  if (fixed !== undefined) return fixed;
  const easter = easterSunday(Number(day.slice(0, 4)));
  return MOVING.find(([days]) => addDays(easter, days) === day)?.[1] ?? null;
}

export function isWeekend(day: string): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday === 0 || weekday === 6;
}

export function isBusinessDay(day: string): boolean {
  return !isWeekend(day) && frenchHoliday(day) === null;
}

/**
 * Easter Sunday of a Gregorian year. Source: Meeus, Astronomical Algorithms, ch. 8 (Butcher's
 * rule).
 */
export function easterSunday(year: number): string {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const sum = h + l - 7 * m + 114;
  return `${year}-${String(Math.floor(sum / 31)).padStart(2, "0")}-${String((sum % 31) + 1).padStart(2, "0")}`;
}
