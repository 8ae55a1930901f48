import type { Envelope } from "@paraphe/contracts";
import { expect, test } from "vitest";
import { daysLabel, daysRemaining, isPurgeImminent } from "./deleted-page.tsx";
import { draftSummary } from "./list-page.tsx";

const NOW = new Date("2026-11-21T12:00:00Z");

test.each([
  ["2026-11-21T11:00:00Z", null, 10],
  ["2026-11-20T11:59:00Z", null, 9],
  ["2026-11-12T12:00:00Z", null, 1],
  ["2026-10-01T12:00:00Z", null, 0],
  ["2026-11-21T11:00:00Z", 4, 4],
])(
  "an envelope cancelled at %s, of which the service says %j, has %i days left",
  (cancelled_at, days_remaining, days) => {
    expect(daysRemaining({ days_remaining, cancelled_at }, NOW)).toBe(days);
  },
);

test("a purge within a day is imminent, and no whole day reads « Moins d’un jour »", () => {
  expect([0, 1, 2].map(isPurgeImminent)).toEqual([true, true, false]);
  expect([0, 1, 4].map(daysLabel)).toEqual(["Moins d’un jour", "1 jour", "4 jours"]);
});

test("a draft's row says what it lacks by the number of its fields, which a list leaves out", () => {
  const row = (documents: number, recipients: number, field_count: number) =>
    draftSummary({
      documents: Array(documents).fill({}),
      recipients: Array(recipients).fill({}),
      fields: [],
      field_count,
    } as never as Envelope);
  expect([row(0, 1, 1), row(1, 0, 0), row(1, 2, 0), row(1, 2, 3)]).toEqual([
    "Aucun fichier",
    "Sans destinataire",
    "2 destinataires, champs à placer",
    "2 destinataires",
  ]);
});
