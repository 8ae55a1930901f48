import { keepInTab, keptInTab } from "../../../lib/tab-memory.ts";
import { type Draft, NEW_DRAFT } from "./draft.ts";
import { isCalendarDay } from "../../../lib/calendar-day.ts";

const START = "envelope-start";
const START_PARTS = ["title", "deadline", "remindEveryDays"] as const;

/** Gives what somebody typed of a new envelope before its first file, and left: for elsewhere in the application, or by a reload. */
export function keptStart(owner: string): Draft | undefined {
  const kept = keptInTab(START, owner);
  if (typeof kept !== "object" || kept === null) return undefined;
  const { title, deadline, remindEveryDays } = kept as Readonly<Record<string, unknown>>;
  return {
    ...NEW_DRAFT,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof deadline === "string" && isCalendarDay(deadline) ? { deadline } : {}),
    ...(typeof remindEveryDays === "number" || remindEveryDays === null ? { remindEveryDays } : {}),
  };
}

/**
 * Keeps what is typed of a new envelope until a file makes a draft of it (`null`), or until nothing is left of it; false when the browser does
 * not take it.
 */
export function keepStart(owner: string, draft: Draft | null): boolean {
  const isEmpty = draft === null || START_PARTS.every((part) => draft[part] === NEW_DRAFT[part]);
  return keepInTab(START, { owner, value: isEmpty ? null : Object.fromEntries(START_PARTS.map((part) => [part, draft[part]])) });
}
