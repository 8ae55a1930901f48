import { describe, expect, test } from "vitest";
import { smallPdf } from "../../testing/small-pdf.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { isProgramName } from "./active-content.ts";

const attached = (name: string, data = "texte"): Uint8Array =>
  smallPdf({
    catalogExtra: "/Names<</EmbeddedFiles<</Names[(a) 6 0 R]>>>>",
    objects: {
      6: `<</Type/Filespec/F(${name})/EF<</F 7 0 R>>>>`,
      7: `<</Length ${data.length}>>\nstream\n${data}\nendstream`,
    },
  });

describe("an attachment", () => {
  test.each(
    `exe. |exe . |EXE|chm|xll|xlam|dotm|docm|url|scf|inf|msix|settingcontent-ms|library-ms|appref-ms|gadget|command|pkg|deb|vhd|img|py|exe:flux|ex\u200be|hta\u00a0`.split(
      "|",
    ),
  )("an attachment named like a program is one: a.%s", (suffix) => {
    expect(isProgramName(`a.${suffix}`)).toBe(true);
    expect(isProgramName(`facture.pdf.${suffix}`)).toBe(true);
  });

  test.each([
    "facture.xml",
    "factur-x.xml",
    "plan.png",
    "annexe.pdf",
    "notes.txt",
    "tableau.xlsx",
    "lettre.docx",
    "exe",
    "a.b/exe",
    "12:30 réunion.txt",
    ".",
  ])("an attachment named like a document is none: %s", (name) => {
    expect(isProgramName(name)).toBe(false);
  });

  test.each([
    ["a Debian package", "!<arch>\\ndebian"],
    ["a macOS installer", "xar!...."],
    ["a compiled help file", "ITSF...."],
    ["a script", "#!/bin/sh"],
    ["a Windows program", "MZ......"],
  ])("an attachment that begins as %s is refused whatever its name", async (_what, data) => {
    await expect(inspectPdf(attached("notes.txt", data))).rejects.toMatchObject({
      code: "pdf_dangerous_attachment",
    });
  });

  test("an attachment is refused by its name alone, and accepted when it is a document", async () => {
    await expect(inspectPdf(attached("a.exe."))).rejects.toMatchObject({
      code: "pdf_dangerous_attachment",
    });
    expect(await inspectPdf(attached("factur-x.xml"))).toMatchObject({
      result: "ok",
      findings: [{ code: "attachments", count: 1 }],
    });
  });
});
