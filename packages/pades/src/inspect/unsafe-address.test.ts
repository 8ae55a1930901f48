import { expect, test } from "vitest";
import { activePdf } from "../../testing/covered-pdfs.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { openPdf } from "../pdf/open-pdf.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { normalisePdf } from "./normalise-pdf.ts";
import { isUnsafeAddress } from "./active-content.ts";

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
