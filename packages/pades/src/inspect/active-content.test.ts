import { expect, test } from "vitest";
import { smallPdf } from "../../testing/small-pdf.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { isProgramName, isUnsafeAddress } from "./active-content.ts";
import { activePdf } from "../../testing/covered-pdfs.ts";
import { openPdf } from "../pdf/open-pdf.ts";
import { normalisePdf } from "./control-pdf.ts";

const attached = (name: string, data = "texte"): Uint8Array =>
  smallPdf({
    catalogExtra: "/Names<</EmbeddedFiles<</Names[(a) 6 0 R]>>>>",
    objects: {
      6: `<</Type/Filespec/F(${name})/EF<</F 7 0 R>>>>`,
      7: `<</Length ${data.length}>>\nstream\n${data}\nendstream`,
    },
  });

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

test.each([
  "https://exemple.fr/a:b?c#d",
  "HTTP://exemple.fr",
  " http://exemple.fr ",
  "mailto:qui@exemple.fr",
  "tel:+33123456789",
  "annexe.html",
  "../dossier/annexe.html#p:1",
  "/annexe?a=b:c",
  "#page=2",
  "",
])("an address of a page, a mail or a call stays: %s", (address) => {
  expect(isUnsafeAddress(address)).toBe(false);
});

test.each([
  "javascript:alert(1)",
  "JaVa\tScRiPt:alert(1)",
  "\u200bjavascript:alert(1)",
  "\ufeffjavascript:alert(1)",
  "\u00e2\u20ac\u2039javascript:alert(1)",
  "feed:javascript:alert(1)",
  "view-source:https://exemple.fr",
  "search-ms:query=a",
  "search:query=a",
  "ms-officecmd:a",
  "mhtml:https://exemple.fr",
  "intent://a#Intent;end",
  "onenote:https://exemple.fr",
  "ssh://-oProxyCommand=a",
  "res://a.dll/b",
  "blob:https://exemple.fr/a",
  "nfs://serveur/a",
  "ldap://serveur/a",
  "afp://serveur/a",
  "ftp://serveur/a",
  "file:///C:/a.exe",
  "C:\\a.exe",
  "\\\\serveur\\partage",
  "//serveur/partage",
  "\\/serveur/partage",
  " /\\serveur",
  "data:text/html,a",
  ":a",
])("any other address is unsafe: %s", (address) => {
  expect(isUnsafeAddress(address)).toBe(true);
});

test("an unsafe base of relative addresses is removed in the copy", async () => {
  const file = smallPdf({ catalogExtra: "/URI<</Base(javascript:)>>" });
  expect(await inspectPdf(file)).toMatchObject({
    result: "fixable",
    findings: [{ code: "external_action", count: 1 }],
  });
  expect((await openPdf(await normalisePdf(file))).catalog.has("URI")).toBe(false);
  expect(
    await inspectPdf(smallPdf({ catalogExtra: "/URI<</Base(https://exemple.fr/)>>" })),
  ).toMatchObject({ result: "ok", findings: [] });
  expect((await inspectPdf(activePdf())).result).toBe("fixable");
});
