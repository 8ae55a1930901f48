import type { AuditEvent } from "@paraphe/contracts";
import { expect, test } from "vitest";
import { journalFolds } from "./journal-card.tsx";

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
  journalFolds(events).map(({ event: { action }, count }) => `${action} ${count}`);

test("the changes that one person makes one after the other on one day are one line, under the newest", () => {
  const [last, ...earlier] = [
    event("2026-11-21T12:00:00Z"),
    event("2026-11-21T11:00:00Z"),
    event("2026-11-21T10:00:00Z"),
  ];
  expect(journalFolds([last as AuditEvent, ...earlier])).toEqual([
    { event: last, count: 3, since: "2026-11-21T10:00:00Z" },
  ]);
});

test("what lies between, another person, another day in Paris and another address keep changes apart", () => {
  const at = (hour: number) => `2026-11-21T${String(hour).padStart(2, "0")}:00:00Z`;
  expect(
    shape([event(at(12)), event(at(11), { action: "recipient_invited" }), event(at(10))]),
  ).toEqual(["envelope_updated 1", "recipient_invited 1", "envelope_updated 1"]);
  expect(shape([event(at(12)), event(at(11), { actor: "Paul Morel" })])).toHaveLength(2);
  expect(shape([event(at(12)), event(at(11), { ip: "192.0.2.9" })])).toHaveLength(2);
  // 23 h 30 in UTC is the next day in Paris.
  expect(shape([event("2026-11-21T23:30:00Z"), event(at(10))])).toHaveLength(2);
});

test("only changes are folded", () => {
  const code = (at: string) => event(at, { action: "code_refused" });
  expect(shape([code("2026-11-21T12:00:00Z"), code("2026-11-21T11:00:00Z")])).toHaveLength(2);
});
