import { packedPdf } from "./packed-pdf.ts";
import { smallPdf, stream } from "./small-pdf.ts";

/** Names of bytes that are not UTF-8, or not only, as older and foreign writers use. */
export const ODD_NAMES: Readonly<Record<string, string>> = {
  "Latin-1 by codes": "/Caract#E8res",
  "Latin-1 by bytes": "/Caract\u00e8res",
  "Latin-1 by a byte, beside a code": "/Caract\u00e8res#20gras",
  "Windows-1252 by codes": "/C#9Cur#80",
  "GBK by codes": "/#CB#CE#CC#E5",
  "Big5 by codes, one byte a bracket": "/#A4#5B#23",
  "UTF-8 by codes": "/Caract#C3#A8res",
  "UTF-8 by bytes": "/Caract\u00c3\u00a8res",
  "UTF-8 with a mark before it": "/#EF#BB#BFF1",
  "bytes that are no UTF-8, two of them": "/#E9#FF",
};

const FORM = "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>";
const drawn = (words: string): string => stream(FORM, `BT /F1 24 Tf 72 600 Td (${words}) Tj ET`);

/**
 * A page with a font and a form of such a name, beside others that a decoder would confuse with it.
 */
export function pageNamed(name: string, more: { readonly catalogExtra?: string } = {}): Uint8Array {
  const forms = `/XObject<<${name} 31 0 R/#FE 32 0 R/Caract#EF#BF#BDres 32 0 R/constructor 33 0 R>>`;
  return smallPdf({
    ...more,
    objects: {
      3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<<${name} 5 0 R>>${forms}>>>>`,
      4: stream(
        "",
        `BT ${name} 24 Tf 72 700 Td (Contrat) Tj ET q ${name} Do Q q 1 0 0 1 0 -50 cm /constructor Do Q`,
      ),
      31: drawn("Article 1"),
      32: drawn("FAUX"),
      33: drawn("Article 2"),
    },
  });
}

/** The same page in an object stream. */
export function packedPageNamed(name: string): Uint8Array {
  const page = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R${name} 5 0 R>>>>>>`;
  return packedPdf({ more: new Map([[3, page]]) });
}

/** The bytes of a name, one character each. */
export const bytesOfName = (name: string): string =>
  name
    .slice(1)
    .replace(/#([0-9A-F]{2})/g, (_code, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
