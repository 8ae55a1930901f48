import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { PDF } from "@libpdf/core";
import { expect, test } from "vitest";
import { loadDocumentFonts } from "../fonts/load-document-fonts.ts";
import type { Block, DocumentModel } from "./document-model.ts";
import { renderDocument } from "./render-document.ts";

async function render(blocks: readonly Block[], more: Partial<DocumentModel> = {}): Promise<Uint8Array> {
  const model = {
    title: "Essai",
    subject: "",
    author: "Essai",
    lang: "fr-FR",
    madeAt: new Date(0),
    footer: "Pied",
    blocks,
    attachments: [],
  };
  return renderDocument({ ...model, ...more }, await loadDocumentFonts());
}
const pagesOf = (pdf: Uint8Array): readonly string[] =>
  execFileSync("pdftotext", ["-layout", "-", "-"], { input: pdf, encoding: "utf8" }).split("\f").slice(0, -1);
const words = (count: number): string => Array.from({ length: count }, (_, index) => `mot${index}`).join(" ");
const wordsIn = (pages: readonly string[]): readonly string[] => pages.join(" ").match(/\bmot\d+\b/g) ?? [];

test("a text longer than a page goes on with none of its words lost, and each page says which it is", async () => {
  const pages = pagesOf(await render([{ kind: "paragraph", text: words(2_000) }]));
  expect(pages.length).toBeGreaterThan(1);
  expect(wordsIn(pages)).toEqual(words(2_000).split(" "));
  for (const [index, page] of pages.entries()) expect(page).toMatch(new RegExp(`Pied\\s+Page\\s${index + 1}\\s/\\s${pages.length}`));
});

test("a table repeats its header on each page, and a row taller than a page goes on in its own columns", async () => {
  const columns = [
    { title: "Colonne longue", share: 0.5 },
    { title: "Colonne courte", share: 0.5 },
  ];
  const pages = pagesOf(
    await render([
      {
        kind: "table",
        columns,
        rows: [
          [[words(900)], ["court"]],
          [["après"], ["fin"]],
        ],
      },
    ]),
  );
  expect(pages.length).toBeGreaterThan(2);
  for (const page of pages) expect(page).toMatch(/Colonne longue\s+Colonne courte/);
  expect(wordsIn(pages)).toEqual(words(900).split(" "));
  expect(pages.at(-1)).toMatch(/après\s+fin/);
});

test("a heading never ends a page", async () => {
  for (let lines = 40; lines < 56; lines++) {
    const filler = Array.from({ length: lines }, (): Block => ({ kind: "paragraph", text: "ligne" }));
    const pages = pagesOf(await render([...filler, { kind: "heading", level: 2, text: "Titre" }, { kind: "paragraph", text: "suite" }]));
    const withTitle = pages.find((page) => page.includes("Titre"));
    expect(withTitle).toContain("suite");
  }
});

test("a bullet never ends a page, and facts stand whole under the heading of whoever they are about", async () => {
  const facts = ["Adresse", "Depuis", "Scellement"].map((label) => ({ label, values: [label === "Depuis" ? words(60) : "valeur"] }));
  for (let lines = 30; lines < 56; lines++) {
    const filler = Array.from({ length: lines }, (): Block => ({ kind: "paragraph", text: "ligne" }));
    const [listed, stated] = await Promise.all([
      render([...filler, { kind: "list", items: [`début ${words(60)}`] }]),
      render([...filler, { kind: "heading", level: 3, text: "Signataire" }, { kind: "facts", rows: facts }]),
    ]);
    for (const page of pagesOf(listed)) expect(page.includes("•")).toBe(page.includes("début"));
    expect(pagesOf(stated).find((page) => page.includes("Signataire"))).toMatch(/Adresse[^]*Depuis[^]*Scellement/);
  }
});

test("a table’s header never ends a page, nor the heading above it, however tall the first row is", async () => {
  const table: Block = {
    kind: "table",
    columns: [
      { title: "Message", share: 0.3 },
      { title: "Réponse", share: 0.7 },
    ],
    rows: [[["a"], [words(120)]]],
  };
  for (let lines = 26; lines < 36; lines++) {
    const filler = Array.from({ length: lines }, (): Block => ({ kind: "paragraph", text: "ligne" }));
    const pages = pagesOf(await render([...filler, { kind: "heading", level: 2, text: "Titre" }, table]));
    for (const page of pages)
      expect([lines, page.includes("Titre"), page.includes("Message")]).toEqual([lines, page.includes("mot"), page.includes("mot")]);
  }
});

test("no mark of direction, separator or escape in a text comes into the page", async () => {
  const [page = ""] = pagesOf(await render([{ kind: "paragraph", text: "avant\u2028\u202eau\u200bto\u0085\u001b[2Japrès" }]));
  expect(page).toContain("avant auto [2Japrès");
});

test("a word wider than its column is cut, a non-breaking space holds, and what no font has is written by its number", async () => {
  const [page = ""] = pagesOf(
    await render([
      { kind: "facts", rows: [{ label: "Empreinte", values: [{ text: "ab".repeat(200), face: "mono" }] }] },
      { kind: "paragraph", text: `${"x ".repeat(90)}n°\u00a0910/2014` },
      { kind: "paragraph", text: "Nguyễn Σωκράτης 中" },
    ]),
  );
  expect(page.replaceAll(/\s/g, "")).toContain("ab".repeat(200));
  expect(page).toMatch(/n°\s?910\/2014/);
  expect(page).toContain("Nguyễn Σωκράτης [U+4E2D]");
});

test("a file attached is there byte for byte, with its own digest", async () => {
  const bytes = new TextEncoder().encode('{"preuve": "é"}');
  const pdf = await render([{ kind: "paragraph", text: "Voir le fichier joint." }], {
    attachments: [{ name: "preuve.json", mediaType: "application/json", description: "La preuve", relationship: "Data", bytes }],
  });
  expect((await PDF.load(pdf)).getAttachment("preuve.json")).toEqual(bytes);
  const text = Buffer.from(pdf).toString("latin1");
  expect(text).toContain(`/CheckSum <${createHash("md5").update(bytes).digest("hex")}>`);
  expect(text).toContain("/AFRelationship /Data");
  expect(text).toContain("/Subtype /application#2Fjson");
});
