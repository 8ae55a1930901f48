import type { Envelope } from "@paraphe/contracts";
import { expect, test } from "vitest";
import { draftSummary } from "./list-words.ts";

test("a draft's row says what it still lacks, by the number of its fields: a list holds no field", () => {
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
