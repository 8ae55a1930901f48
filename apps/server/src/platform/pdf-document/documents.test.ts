import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { PDF } from "@libpdf/core";
import { firstUnprinted } from "@paraphe/contracts";
import PDFDocument from "pdfkit";
import { describe, expect, test, vi } from "vitest";
import { makePdf } from "../../../testing/pdf.ts";
import { loadDocumentFonts, type Block, type DocumentModel } from "./create-typesetter.ts";
import { loadPrintableCharacters } from "../fonts/load-fonts.ts";
import {
  findBlankFrame,
  findBlankFrames,
  type FrameWanted,
  type PageInk,
  type PageWanted,
} from "../pdf-ink/find-blank-frame.ts";
import { renderDocument } from "./render-document.ts";

const printable = await loadPrintableCharacters();

describe("documents that we write", () => {
  async function render(
    blocks: readonly Block[],
    more: Partial<DocumentModel> = {},
  ): Promise<Uint8Array> {
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
    execFileSync("pdftotext", ["-layout", "-", "-"], { input: pdf, encoding: "utf8" })
      .split("\f")
      .slice(0, -1);
  const words = (count: number): string =>
    Array.from({ length: count }, (_, index) => `mot${index}`).join(" ");
  const wordsIn = (pages: readonly string[]): readonly string[] =>
    pages.join(" ").match(/\bmot\d+\b/g) ?? [];

  test("a long text continues on numbered pages without losing a word", async () => {
    const pages = pagesOf(await render([{ kind: "paragraph", text: words(2_000) }]));
    expect(pages.length).toBeGreaterThan(1);
    expect(wordsIn(pages)).toEqual(words(2_000).split(" "));
    for (const [index, page] of pages.entries())
      expect(page).toMatch(new RegExp(`Pied\\s+Page\\s${index + 1}\\s/\\s${pages.length}`));
  });

  test("a table's header repeats on each page, and a tall row continues in its own columns", async () => {
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

  test("documents share a font's decoded tables, and no glyphs", async () => {
    const { text } = await loadDocumentFonts();
    expect(text.open()).not.toBe(text.open());
    expect(text.open()._tables).toBe(text.open()._tables);
  });

  test("a word is measured on its own, however long its line", async () => {
    const measured = vi.spyOn(PDFDocument.prototype, "widthOfString");
    const text = words(300);
    await render([{ kind: "paragraph", text }]);
    expect(measured.mock.calls.reduce((length, [part]) => length + part.length, 0)).toBeLessThan(
      5 * text.length,
    );
    measured.mockRestore();
  });

  test("a heading never ends a page", async () => {
    for (let lines = 40; lines < 56; lines++) {
      const filler = Array.from(
        { length: lines },
        (): Block => ({ kind: "paragraph", text: "ligne" }),
      );
      const pages = pagesOf(
        await render([
          ...filler,
          { kind: "heading", level: 2, text: "Titre" },
          { kind: "paragraph", text: "suite" },
        ]),
      );
      const withTitle = pages.find((page) => page.includes("Titre"));
      expect(withTitle).toContain("suite");
    }
  });

  test("a bullet never ends a page, and facts stay whole under their heading", async () => {
    const facts = ["Adresse", "Depuis", "Scellement"].map((label) => ({
      label,
      values: [label === "Depuis" ? words(60) : "valeur"],
    }));
    for (let lines = 30; lines < 56; lines++) {
      const filler = Array.from(
        { length: lines },
        (): Block => ({ kind: "paragraph", text: "ligne" }),
      );
      const [listed, stated] = await Promise.all([
        render([...filler, { kind: "list", items: [`début ${words(60)}`] }]),
        render([
          ...filler,
          { kind: "heading", level: 2, text: "Chapitre" },
          { kind: "heading", level: 3, text: "Signataire" },
          { kind: "facts", rows: facts },
        ]),
      ]);
      for (const page of pagesOf(listed)) expect(page.includes("•")).toBe(page.includes("début"));
      expect(pagesOf(stated).find((page) => page.includes("Signataire"))).toMatch(
        /Chapitre[^]*Adresse[^]*Depuis[^]*Scellement/,
      );
    }
  });

  test("neither a table's header nor the heading above it ends a page, however tall the first row", async () => {
    const table: Block = {
      kind: "table",
      columns: [
        { title: "Message", share: 0.3 },
        { title: "Réponse", share: 0.7 },
      ],
      rows: [[["a"], [words(120)]]],
    };
    for (let lines = 26; lines < 36; lines++) {
      const filler = Array.from(
        { length: lines },
        (): Block => ({ kind: "paragraph", text: "ligne" }),
      );
      const pages = pagesOf(
        await render([...filler, { kind: "heading", level: 2, text: "Titre" }, table]),
      );
      for (const page of pages)
        expect([lines, page.includes("Titre"), page.includes("Message")]).toEqual([
          lines,
          page.includes("mot"),
          page.includes("mot"),
        ]);
    }
  });

  test("a table's introduction stays with it, under its heading, on the page of its first row", async () => {
    const columns = ["Message", "Réponse"].map((title) => ({ title, share: 0.5 }));
    const table: Block = {
      kind: "table",
      columns,
      rows: ["première", "seconde"].map((row) => [[row], [words(40)]]),
    };
    const introduction = ["Avant", "Ensuite"].map(
      (text): Block => ({ kind: "paragraph", text: `${text} ${words(20)}` }),
    );
    for (let lines = 24; lines < 40; lines++) {
      const filler = Array.from(
        { length: lines },
        (): Block => ({ kind: "paragraph", text: "ligne" }),
      );
      const pages = pagesOf(
        await render([
          ...filler,
          { kind: "heading", level: 2, text: "Titre" },
          ...introduction,
          table,
        ]),
      );
      const parts = ["Titre", "Avant", "Ensuite", "Message", "première"];
      const found = parts.map((part) => pages.findIndex((page) => page.includes(part)));
      expect([lines, new Set(found).size]).toEqual([lines, 1]);
    }
  });

  test("no direction mark, separator or escape of a text reaches the page", async () => {
    const [page = ""] = pagesOf(
      await render([
        { kind: "paragraph", text: "avant\u2028\u202eau\u200bto\u0085\u001b[2Japrès" },
      ]),
    );
    expect(page).toContain("avant auto [2Japrès");
  });

  test("a wide word is cut, a non-breaking space holds, and an unknown character is written as its number", async () => {
    const [page = ""] = pagesOf(
      await render([
        {
          kind: "facts",
          rows: [{ label: "Empreinte", values: [{ text: "ab".repeat(200), face: "mono" }] }],
        },
        { kind: "paragraph", text: `${"x ".repeat(90)}n°\u00a0910/2014` },
        { kind: "paragraph", text: "Nguyễn Σωκράτης 中" },
      ]),
    );
    expect(page.replaceAll(/\s/g, "")).toContain("ab".repeat(200));
    expect(page).toMatch(/n°\s?910\/2014/);
    expect(page).toContain("Nguyễn Σωκράτης [U+4E2D]");
  });

  test("an attached file is there byte for byte, with its digest", async () => {
    const bytes = new TextEncoder().encode('{"preuve": "é"}');
    const pdf = await render([{ kind: "paragraph", text: "Voir le fichier joint." }], {
      attachments: [
        {
          name: "preuve.json",
          mediaType: "application/json",
          description: "La preuve",
          relationship: "Data",
          bytes,
        },
      ],
    });
    expect((await PDF.load(pdf)).getAttachment("preuve.json")).toEqual(bytes);
    const text = Buffer.from(pdf).toString("latin1");
    expect(text).toContain(`/CheckSum <${createHash("md5").update(bytes).digest("hex")}>`);
    expect(text).toContain("/AFRelationship /Data");
    expect(text).toContain("/Subtype /application#2Fjson");
  });
});

describe("a blank place on a page", () => {
  /** 60 × 80 cells of 10 points; `drawn`: left, top, right, bottom in cells. */
  function page(...drawn: readonly (readonly [number, number, number, number])[]): PageInk {
    const [columns, rows] = [60, 80];
    const cells = new Uint8Array(columns * rows);
    for (const [left, top, right, bottom] of drawn)
      for (let row = top; row < bottom; row += 1)
        cells.fill(1, row * columns + left, row * columns + right);
    return { columns, rows, cellPt: 10, cells };
  }
  const WANTED: FrameWanted = {
    sizes: [
      { width: 100, height: 100 },
      { width: 50, height: 50 },
    ],
    corners: ["bottom-right", "bottom-left", "top-right", "top-left"],
    edge: 20,
    gap: 10,
  };

  test("the blank place is the largest in the first corner, inside the edge", () => {
    expect(findBlankFrame(page(), WANTED)).toEqual({
      x: 480,
      y: 680,
      width: 100,
      height: 100,
      size: 0,
    });
    expect(findBlankFrame(page(), { ...WANTED, corners: ["top-left"] })).toEqual({
      x: 20,
      y: 20,
      width: 100,
      height: 100,
      size: 0,
    });
  });

  test("the blank place is at a distance from anything drawn", () => {
    expect(findBlankFrame(page([0, 70, 60, 71]), WANTED)).toEqual({
      x: 480,
      y: 590,
      width: 100,
      height: 100,
      size: 0,
    });
  });

  test("the blank place moves to another corner when the first is taken", () => {
    expect(findBlankFrame(page([30, 40, 60, 80]), WANTED)).toMatchObject({
      x: 20,
      y: 680,
      size: 0,
    });
    expect(findBlankFrame(page([0, 30, 60, 80]), WANTED)).toMatchObject({ x: 480, y: 20, size: 0 });
  });

  test("the blank place leaves the corners before it shrinks", () => {
    const corners = page([0, 0, 60, 27], [0, 53, 60, 80]);
    expect(findBlankFrame(corners, WANTED)).toMatchObject({ x: 480, y: 420, size: 0 });
  });

  test("the blank place is smaller when no large one is left, and absent where nothing fits", () => {
    expect(findBlankFrame(page([0, 0, 60, 72]), WANTED)).toMatchObject({
      width: 50,
      height: 50,
      size: 1,
    });
    expect(findBlankFrame(page([0, 0, 60, 73]), WANTED)).toBeNull();
    expect(
      findBlankFrame({ columns: 6, rows: 6, cellPt: 10, cells: new Uint8Array(36) }, WANTED),
    ).toBeNull();
  });
});

describe("blank places of a document", () => {
  const page = (pageNumber: number): PageWanted => ({
    pageNumber,
    width: 595,
    height: 842,
    sizes: [{ width: 200, height: 60 }],
    corners: ["top-left"],
    edge: 20,
    gap: 2,
  });
  const whole = () => false;

  test("blank places are found where nothing is drawn, under a page's first line", async () => {
    const [first] = await findBlankFrames(makePdf(), [page(1)], whole);
    // The line ends 80 points from the top; the gap and a row of cells follow.
    expect(first?.x).toBe(20);
    expect(first?.y).toBeGreaterThan(80);
    expect(first?.y).toBeLessThan(95);
  });

  test("pages are searched for as long as there is time, at least one", async () => {
    const pages = [page(1), page(2), page(3)];
    expect(await findBlankFrames(makePdf({ pages: 3 }), pages, () => true)).toHaveLength(1);
    expect(await findBlankFrames(makePdf({ pages: 3 }), pages, whole)).toHaveLength(3);
  });

  test("a missing page and an unreadable file have no blank place", async () => {
    expect(await findBlankFrames(makePdf(), [page(2)], whole)).toEqual([null]);
    expect(await findBlankFrames(new Uint8Array([1, 2, 3]), [page(1), page(2)], whole)).toEqual([
      null,
      null,
    ]);
  });
});

describe("before anything is printed, the fonts", () => {
  test("the fonts draw the names of Europe and Vietnam, French punctuation and its spaces", () => {
    const names = [
      "Éloïse Lefèvre",
      "François Müller",
      "Zoë Œuvrard",
      "Maëlys N’Guessan",
      "Ÿvonne",
      "Michał",
      "Jørgen",
      "Đặng",
    ];
    expect(
      printable.firstMissing(`${names.join("")}« 12\u202f500 € »\u00a0: d’accord\n— oui\u2011da`),
    ).toBeNull();
    for (const hand of [
      "caveat",
      "la-belle-aurore",
      "playwrite-fr-moderne",
      "herr-von-muellerhoff",
    ] as const) {
      expect(printable.firstMissingInHand(names.join(" "), hand)).toBeNull();
    }
  });

  test("the first character without a glyph is named", () => {
    expect(printable.firstMissing("Bail 日本")).toBe("日");
    expect(printable.firstMissing("Merci 😀")).toBe("😀");
    expect(printable.firstMissingInHand("山", "caveat")).toBe("山");
  });

  test("the pages know exactly the fonts' characters", () => {
    const apart: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      // A lone surrogate (Unicode §3.9, D76).
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCodePoint(code);
      if (firstUnprinted(character) !== printable.firstMissing(character))
        apart.push(`U+${code.toString(16)}`);
    }
    expect(apart).toEqual([]);
    expect(firstUnprinted("Zoé 🌸")).toBe("🌸");
    expect(firstUnprinted("Łucja Đặng-Œuvrard")).toBeNull();
  });
});
