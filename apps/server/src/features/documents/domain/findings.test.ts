import type { FindingCode } from "@paraphe/pades";
import { describe, expect, test } from "vitest";
import { presentFindings } from "./findings.ts";

/** Every code that the control gives: a new one without a sentence is a type error here. */
const CODES: Readonly<Record<FindingCode, true>> = {
  encryption_removed: true,
  structure_rebuilt: true,
  leading_bytes: true,
  javascript: true,
  launch_action: true,
  external_action: true,
  alternate_images: true,
  attachments: true,
  portfolio: true,
  hidden_layers: true,
  existing_signatures: true,
  existing_timestamps: true,
  unverified_signatures: true,
  unverified_timestamps: true,
  certified: true,
  existing_form: true,
  static_xfa: true,
  multimedia: true,
  reader_dependent: true,
  form_values: true,
};
const UNKNOWN = "Le contrôle a relevé une particularité de ce PDF.";

describe("what the control says", () => {
  test.each(Object.keys(CODES))("%s has a sentence of its own", (code) => {
    const [finding] = presentFindings([{ code }]);
    expect(finding?.detail).toMatch(/\.$/);
    expect(finding?.detail).not.toBe(UNKNOWN);
  });

  test("tells how many signatures were there, and that nothing of a signed file is taken out", () => {
    const said = presentFindings([
      { code: "javascript", count: 3 },
      { code: "existing_signatures", count: 2 },
    ]);
    expect(said.map(({ detail }) => detail)).toEqual([
      "Ce PDF déjà signé contient du code JavaScript. Il est conservé, sans être exécuté pendant la lecture.",
      "Ce PDF porte déjà 2 signatures, qui n’ont pas été altérées. Elles sont conservées. Les textes et les paraphes sont imprimés avec chaque nouvelle signature.",
    ]);
  });

  test("calls a time-stamp a time-stamp, and a file that bears nothing else time-stamped", () => {
    const said = presentFindings([{ code: "javascript" }, { code: "existing_timestamps", count: 1 }]);
    expect(said.map(({ detail }) => detail)).toEqual([
      "Ce PDF déjà horodaté contient du code JavaScript. Il est conservé, sans être exécuté pendant la lecture.",
      "Ce PDF porte déjà un horodatage, qui n’a pas été altéré. Il est conservé. Les textes et les paraphes sont imprimés avec chaque nouvelle signature.",
    ]);
    expect(presentFindings([{ code: "existing_timestamps", count: 2 }])[0]?.detail).toContain(
      "déjà 2 horodatages, qui n’ont pas été altérés",
    );
  });

  test("never says unaltered of what cannot be verified", () => {
    const said = presentFindings([{ code: "javascript" }, { code: "unverified_signatures", count: 2 }, { code: "unverified_timestamps" }]);
    expect(said.map(({ detail }) => detail)).toEqual([
      "Ce PDF déjà signé contient du code JavaScript. Il est conservé, sans être exécuté pendant la lecture.",
      "Ce PDF porte déjà 2 signatures qui ne peuvent pas être vérifiées ici : leur procédé est dépassé ou inconnu, ou leur certificat manque. Elles sont conservées. Les textes et les paraphes sont imprimés avec chaque nouvelle signature.",
      "Ce PDF porte déjà un horodatage qui ne peut pas être vérifié ici : son procédé est dépassé ou inconnu. Il est conservé.",
    ]);
  });

  test("says of a certified file that nothing is drawn on its pages", () => {
    const said = presentFindings([{ code: "existing_signatures", count: 1 }, { code: "certified" }]);
    expect(said.map(({ detail }) => detail)).toEqual([
      "Ce PDF porte déjà une signature, qui n’a pas été altérée. Elle est conservée.",
      "Ce PDF est certifié par son auteur : les nouvelles signatures y sont sans image, et ce que chacun remplit se lit dans les propriétés de sa signature.",
    ]);
  });

  test("says something even of a finding stored by another version", () => {
    expect(presentFindings([{ code: "later" }])).toEqual([{ code: "later", detail: UNKNOWN }]);
  });
});
