import type { AuditEvent } from "@paraphe/contracts";
import { expect, test } from "vitest";
import { journalDays } from "./journal-card.tsx";

let n = 0;
const event = (at: string, rest: Partial<AuditEvent> = {}): AuditEvent => ({
  at,
  actor: "Clémence Aubry",
  action: "envelope_updated",
  ip: null,
  user_agent: null,
  detail: {},
  hash: String(++n).padStart(64, "0"),
  previous_hash: null,
  ...rest,
});
const shape = (events: readonly AuditEvent[]) =>
  journalDays(events).map(({ day, folds }) => [
    day,
    ...folds.map(({ event: { action }, count }) => `${action} ${count}`),
  ]);

test("events stand under their day in Paris, newest first", () => {
  // 23 h 30 in UTC is the next day in Paris.
  expect(
    shape([
      event("2026-11-21T23:30:00Z", { action: "envelope_sent" }),
      event("2026-11-21T10:00:00Z"),
    ]),
  ).toEqual([
    ["2026-11-22", "envelope_sent 1"],
    ["2026-11-21", "envelope_updated 1"],
  ]);
});

test("the changes that one person makes one after the other on one day are one line, under the newest", () => {
  const [last, ...earlier] = [
    event("2026-11-21T12:00:00Z"),
    event("2026-11-21T11:00:00Z"),
    event("2026-11-21T10:00:00Z"),
  ];
  const [day] = journalDays([last as AuditEvent, ...earlier]);
  expect(day?.folds).toEqual([{ event: last, count: 3, since: "2026-11-21T10:00:00Z" }]);
});

test("what lies between, another person, another day and another address keep changes apart", () => {
  const at = (hour: number) => `2026-11-21T${String(hour).padStart(2, "0")}:00:00Z`;
  expect(
    shape([event(at(12)), event(at(11), { action: "recipient_invited" }), event(at(10))])[0],
  ).toHaveLength(4);
  expect(shape([event(at(12)), event(at(11), { actor: "Paul Morel" })])[0]).toHaveLength(3);
  expect(shape([event(at(12)), event(at(11), { ip: "192.0.2.9" })])[0]).toHaveLength(3);
  expect(shape([event("2026-11-22T10:00:00Z"), event(at(10))])).toHaveLength(2);
});

test("only changes are folded", () => {
  const code = (at: string) => event(at, { action: "code_refused" });
  expect(shape([code("2026-11-21T12:00:00Z"), code("2026-11-21T11:00:00Z")])[0]).toHaveLength(3);
});
