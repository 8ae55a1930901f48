import { PdfString } from "@libpdf/core";
import { dictAt, follow, type OpenPdf } from "../pdf/open-pdf.ts";
import { textOfString } from "./text-string.ts";

const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const DC = "http://purl.org/dc/elements/1.1/";
const XMP = "http://ns.adobe.com/xap/1.0/";

type Repeated = readonly [key: string, said: (text: string) => unknown];
const inWords = (text: string): unknown => [`{${RDF}}Alt`, [["in", "x-default", [text]]]];
const asItIs = (text: string): unknown => text;
/** Which entry of the information dictionary a property repeats. Source: ISO 32000-2 §14.3.3, table 349; ISO 16684-1 §8. */
const REPEATED: ReadonlyMap<string, Repeated> = new Map([
  [`{${DC}}title`, ["Title", inWords]],
  [`{${DC}}description`, ["Subject", inWords]],
  [`{${DC}}creator`, ["Author", (text) => [`{${RDF}}Seq`, [text]]]],
  ["{http://ns.adobe.com/pdf/1.3/}Keywords", ["Keywords", asItIs]],
  [`{${XMP}}CreatorTool`, ["Creator", asItIs]],
  [`{${XMP}}CreateDate`, ["CreationDate", xmpDate]],
]);
/** What is true of every PDF: its format, and a number drawn for it. */
const PLAIN: ReadonlyMap<string, RegExp> = new Map([
  [`{${DC}}format`, /^application\/pdf$/],
  [`{${XMP}mm/}DocumentID`, /^(?:uuid|xmp\.did):[0-9A-Fa-f-]{36}$/],
]);

/**
 * Says whether metadata say of a document nothing but what its information dictionary says.
 * Shape: `meaning` as `metadataMeaning` gives it.
 * Tolerance: Acrobat writes the metadata of a file that has none when it signs.
 */
export function repeatsInformation(open: OpenPdf, meaning: string): boolean {
  const information = dictAt(open, open.trailer, "Info");
  return (JSON.parse(meaning) as [string, unknown][]).every(([name, value]) => {
    if (typeof value === "string" && PLAIN.get(name)?.test(value)) return true;
    const [key = "", said = asItIs] = REPEATED.get(name) ?? [];
    const entry = follow(open, information?.get(key));
    const text = entry instanceof PdfString ? textOfString(entry) : null;
    return text !== null && JSON.stringify(said(text)) === JSON.stringify(value);
  });
}

/** Source: ISO 32000-2 §7.9.4 (D:YYYYMMDDHHmmSSOHH'mm'), ISO 8601. */
function xmpDate(text: string): string {
  return text.replace(
    /^D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:([+-]\d\d)'(\d\d)'?|(Z).*)$/,
    (_date, ...parts: (string | undefined)[]) => {
      const [year, month, day, hour, minute, second, hours, minutes] = parts;
      return `${year}-${month}-${day}T${hour}:${minute}:${second}${hours === undefined ? "Z" : `${hours}:${minutes}`}`;
    },
  );
}
