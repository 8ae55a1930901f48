import { type Attack, sealed, swap, type Attacks } from "./attack-stage.ts";
import { forgedRevision, forgedUpdate, lastObject, tableRow } from "./forge.ts";
import { signFreely } from "./sign-freely.ts";
import { smallPdf, type Objects } from "./small-pdf.ts";

/** Signed by Alice, with an information dictionary. */
const informed =
  (before: string, after: string, more: Objects = {}): Attack =>
  async ({ alice, pki }) => {
    const file = smallPdf({
      trailerExtra: "/Info 40 0 R",
      objects: { 40: before, 41: "(D:20261101120000Z)" },
    });
    const signed = await signFreely(file, {
      cms: (covered) => sealed({ signer: alice, tsa: pki.tsa }, covered),
    });
    const parts = Object.fromEntries(
      Object.entries({ 40: after, ...more }).map(([number, syntax]) => [
        number,
        `${number} 0 obj\n${syntax}\nendobj\n`,
      ]),
    );
    return forgedUpdate(signed, {
      parts,
      rows: (at) =>
        Object.keys(parts)
          .map((number) => tableRow(Number(number), at[number] ?? 0))
          .join(""),
      trailer: (text) => `${text}/Info 40 0 R`,
    });
  };

/** A catalog that refers to itself, signed by Alice; then its form or another entry differs. */
const circular =
  (entries: string, change: (syntax: string) => string): Attack =>
  async ({ alice, bob, pki }) => {
    const content = {
      3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font 1 0 R>>>>",
    };
    const file = smallPdf({
      catalogExtra: entries,
      ...(entries.includes("/Font") ? { objects: content } : {}),
    });
    const signed = await signFreely(file, {
      cms: (covered) => sealed({ signer: alice, tsa: pki.tsa }, covered),
    });
    const { number, syntax } = lastObject(signed, "/Type /Catalog");
    const changed = change(syntax);
    if (changed !== syntax) return forgedRevision(signed, { objects: { [number]: changed } });
    return signFreely(signed, {
      fieldName: "bob",
      cms: (covered) => sealed({ signer: bob, tsa: pki.tsa }, covered),
    });
  };

/** What is excused as unchanged, and is not. */
export const KEPT_ATTACKS: Attacks = {
  "information: a time that is no text, and another": informed(
    "<</Title(x)/ModDate false>>",
    "<</Title(x)/ModDate true>>",
  ),
  "information: a time that is no text any more": informed(
    "<</Title(x)/ModDate(D:20261101120000Z)>>",
    "<</Title(x)/ModDate false>>",
  ),
  "information: a time in a list that stays, and is another": informed(
    "<</ModDate[41 0 R]>>",
    "<</ModDate[41 0 R]>>",
    { 41: "(FAUX)" },
  ),
  "catalog: itself under a key that has a meaning": circular("/Threads 1 0 R", (syntax) => syntax),
  "catalog: itself as a dictionary of fonts": circular("/X 1 0 R/Font 1 0 R", (syntax) => syntax),
  "catalog: itself, then another": circular("/X 1 0 R", (syntax) =>
    swap(syntax, "/X 1 0 R", "/X 2 0 R"),
  ),
  "catalog: itself, and another language": circular("/X 1 0 R/Lang(fr)", (syntax) =>
    swap(syntax, "/Lang (fr)", "/Lang (en)"),
  ),
  "information: a title beside a time that stays": informed(
    "<</Title(x)/ModDate false>>",
    "<</Title(FAUX)/ModDate false>>",
  ),
};

export const HONEST_KEPT: Attacks = {
  "a catalog that refers to itself under a key without a meaning": circular(
    "/X 1 0 R",
    (syntax) => syntax,
  ),
  "a time that is no text, and stays": informed(
    "<</Title(x)/ModDate false/Producer/y>>",
    "<</Producer/y/ModDate false/Title(x)>>",
  ),
};
