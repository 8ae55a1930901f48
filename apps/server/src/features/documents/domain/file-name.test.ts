import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { archiveNames, cleanFileName, downloadName, hasPdfEnding, slugify } from "./file-name.ts";

describe("the name of an uploaded file", () => {
  it.each([
    ["Bail d’été.pdf", "Bail d’été.pdf"],
    ["../../etc/passwd.pdf", "passwd.pdf"],
    ["C:\\Users\\Anne\\bail.pdf", "bail.pdf"],
    ["bail\u0000\r\n.pdf", "bail.pdf"],
    ["\u202Efdp.exe.pdf", "fdp.exe.pdf"],
    [".pdf", "document.pdf"],
    ["", "document"],
    ["e\u0301te\u0301.PDF", "été.PDF"],
  ])("reads %j as %j", (given, kept) => {
    expect(cleanFileName(given)).toBe(kept);
  });

  it("is cut to 200 characters, its ending kept", () => {
    const name = cleanFileName(`${"é".repeat(300)}.pdf`);
    expect(Array.from(name)).toHaveLength(200);
    expect(name.endsWith(".pdf")).toBe(true);
  });

  it("ends in .pdf, whatever the case", () => {
    expect(["a.pdf", "a.PDF", "a.Pdf "].every(hasPdfEnding)).toBe(true);
    expect(["a.png", "pdf", "a.pdf.exe", "a.pdf\u0000"].some(hasPdfEnding)).toBe(false);
  });
});

describe("a slug", () => {
  it.each([
    ["Bail d'habitation – Été 2026", "bail-dhabitation-ete-2026"],
    ["Œuvre de Zoë & Ÿvonne", "oeuvre-de-zoe-yvonne"],
    ["Contrat Đặng / Jørgen ß", "contrat-dang-jorgen-ss"],
    ["   ", "document"],
    ["合同", "document"],
  ])("of %j is %j", (title, slug) => {
    expect(slugify(title)).toBe(slug);
  });

  it("holds only lower-case ASCII letters, digits and single hyphens, whatever the title", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 300 }),
        (title) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slugify(title)) && slugify(title).length <= 120,
      ),
    );
  });

  it("names a download, signed or not, alone or several", () => {
    expect(downloadName({ title: "Bail été", signed: false, ending: "pdf" })).toBe("bail-ete.pdf");
    expect(downloadName({ title: "Bail été", signed: true, ending: "pdf" })).toBe("bail-ete_signe.pdf");
    expect(downloadName({ title: "Bail été", signed: true, ending: "zip" })).toBe("bail-ete_signe.zip");
  });
});

describe("the names in an archive", () => {
  it("are distinct, and lead nowhere", () => {
    const names = archiveNames([
      { name: "Bail.pdf", signed: true },
      { name: "../bail.PDF", signed: true },
      { name: "bäil.pdf", signed: true },
      { name: "bail.pdf", signed: false },
    ]);
    expect(names).toEqual(["bail_signe.pdf", "bail_signe-2.pdf", "bail_signe-3.pdf", "bail.pdf"]);
  });
});
