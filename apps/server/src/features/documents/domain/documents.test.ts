import type { FindingCode } from "@paraphe/pades";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  archiveNames,
  cleanFileName,
  downloadName,
  hasPdfEnding,
  parseByteRange,
  slugify,
} from "./document.ts";
import { presentFindings } from "../present-document.ts";

test.each([
  ["bytes=0-9", { start: 0, end: 9 }],
  ["bytes=90-", { start: 90, end: 99 }],
  ["bytes=90-1000", { start: 90, end: 99 }],
  ["bytes=-10", { start: 90, end: 99 }],
  ["bytes=-1000", { start: 0, end: 99 }],
  ["bytes=99-99", { start: 99, end: 99 }],
  ["bytes=100-", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=9-0", null],
  ["bytes=0-1,5-6", null],
  ["bytes=-", null],
  ["bytes=a-b", null],
  ["lines=0-9", null],
  [undefined, null],
])("the range %s of 100 bytes is %j", (header, expected) => {
  expect(parseByteRange(header, 100)).toEqual(expected);
});

/** A new code of the control without a sentence is a type error here. */
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

test.each(Object.keys(CODES))("the document control %s has a sentence of its own", (code) => {
  const [finding] = presentFindings([{ code }]);
  expect(finding?.detail).toMatch(/\.$/);
  expect(finding?.detail).not.toBe(UNKNOWN);
});

test("the document control counts signatures, and says that a signed file is signed unmodified", () => {
  const said = presentFindings([
    { code: "javascript", count: 3 },
    { code: "existing_signatures", count: 2 },
  ]);
  expect(said.map(({ detail }) => detail)).toEqual([
    "Ce PDF déjà signé contient du code JavaScript. Il est conservé, sans être exécuté pendant la lecture.",
    "Ce PDF porte déjà 2 signatures, qui n’ont pas été altérées. Elles sont conservées. Les textes et les paraphes sont imprimés avec chaque nouvelle signature.",
  ]);
});

test("the document control calls a time-stamp a time-stamp, and a file that bears nothing else time-stamped", () => {
  const said = presentFindings([{ code: "javascript" }, { code: "existing_timestamps", count: 1 }]);
  expect(said.map(({ detail }) => detail)).toEqual([
    "Ce PDF déjà horodaté contient du code JavaScript. Il est conservé, sans être exécuté pendant la lecture.",
    "Ce PDF porte déjà un horodatage, qui n’a pas été altéré. Il est conservé. Les textes et les paraphes sont imprimés avec chaque nouvelle signature.",
  ]);
  expect(presentFindings([{ code: "existing_timestamps", count: 2 }])[0]?.detail).toContain(
    "déjà 2 horodatages, qui n’ont pas été altérés",
  );
});

test("the document control never calls unverifiable signatures unaltered", () => {
  const said = presentFindings([
    { code: "javascript" },
    { code: "unverified_signatures", count: 2 },
    { code: "unverified_timestamps" },
  ]);
  expect(said.map(({ detail }) => detail)).toEqual([
    "Ce PDF déjà signé contient du code JavaScript. Il est conservé, sans être exécuté pendant la lecture.",
    "Ce PDF porte déjà 2 signatures qui ne peuvent pas être vérifiées ici : leur procédé est dépassé ou inconnu, ou leur certificat manque. Elles sont conservées. Les textes et les paraphes sont imprimés avec chaque nouvelle signature.",
    "Ce PDF porte déjà un horodatage qui ne peut pas être vérifié ici : son procédé est dépassé ou inconnu. Il est conservé.",
  ]);
});

test("the document control says of a certified file that nothing is drawn on its pages", () => {
  const said = presentFindings([{ code: "existing_signatures", count: 1 }, { code: "certified" }]);
  expect(said.map(({ detail }) => detail)).toEqual([
    "Ce PDF porte déjà une signature, qui n’a pas été altérée. Elle est conservée.",
    "Ce PDF est certifié par son auteur : les nouvelles signatures y sont sans image, et ce que chacun remplit se lit dans les propriétés de sa signature.",
  ]);
});

test("the document control has a sentence even for a finding stored by another version", () => {
  expect(presentFindings([{ code: "later" }])).toEqual([{ code: "later", detail: UNKNOWN }]);
});

test.each([
  ["Bail d’été.pdf", "Bail d’été.pdf"],
  ["../../etc/passwd.pdf", "passwd.pdf"],
  ["C:\\Users\\Anne\\bail.pdf", "bail.pdf"],
  ["bail\u0000\r\n.pdf", "bail.pdf"],
  ["\u202Efdp.exe.pdf", "fdp.exe.pdf"],
  [".pdf", "document.pdf"],
  ["", "document"],
  ["e\u0301te\u0301.PDF", "été.PDF"],
])("the name of an uploaded file reads %j as %j", (given, kept) => {
  expect(cleanFileName(given)).toBe(kept);
});

test("the name of an uploaded file is cut to 200 characters, its ending kept", () => {
  const name = cleanFileName(`${"é".repeat(300)}.pdf`);
  expect(Array.from(name)).toHaveLength(200);
  expect(name.endsWith(".pdf")).toBe(true);
});

test("the name of an uploaded file ends in .pdf, whatever the case", () => {
  expect(["a.pdf", "a.PDF", "a.Pdf "].every(hasPdfEnding)).toBe(true);
  expect(["a.png", "pdf", "a.pdf.exe", "a.pdf\u0000"].some(hasPdfEnding)).toBe(false);
});

test.each([
  ["Bail d'habitation – Été 2026", "bail-dhabitation-ete-2026"],
  ["Œuvre de Zoë & Ÿvonne", "oeuvre-de-zoe-yvonne"],
  ["Contrat Đặng / Jørgen ß", "contrat-dang-jorgen-ss"],
  ["   ", "document"],
  ["合同", "document"],
])("a slug of %j is %j", (title, slug) => {
  expect(slugify(title)).toBe(slug);
});

test("a slug has only lower-case ASCII letters, digits and single hyphens, whatever the title", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 300 }),
      (title) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slugify(title)) && slugify(title).length <= 120,
    ),
  );
});

test("a slug names a download, signed or not, alone or several", () => {
  expect(downloadName({ title: "Bail été", signed: false, ending: "pdf" })).toBe("bail-ete.pdf");
  expect(downloadName({ title: "Bail été", signed: true, ending: "pdf" })).toBe(
    "bail-ete_signe.pdf",
  );
  expect(downloadName({ title: "Bail été", signed: true, ending: "zip" })).toBe(
    "bail-ete_signe.zip",
  );
});

test("names in an archive are distinct, and lead nowhere", () => {
  const names = archiveNames([
    { name: "Bail.pdf", signed: true },
    { name: "../bail.PDF", signed: true },
    { name: "bäil.pdf", signed: true },
    { name: "bail.pdf", signed: false },
  ]);
  expect(names).toEqual(["bail_signe.pdf", "bail_signe-2.pdf", "bail_signe-3.pdf", "bail.pdf"]);
});
