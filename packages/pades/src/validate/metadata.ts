import { PdfString } from "@libpdf/core";
import { ownEntry, PadesError } from "../pades-error.ts";
import { dictAt, follow, type OpenPdf } from "../pdf/open-pdf.ts";

const UTF16 = new TextDecoder("utf-16be", { fatal: true, ignoreBOM: true });
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Readers differ on codes without a character. Source: ISO 32000-2 annex D.3. */
const UNDEFINED = new Set([
  ...Array.from({ length: 24 }, (_, code) => code).filter((code) => ![9, 10, 13].includes(code)),
  127,
  159,
  173,
]);

/** Null for bytes invalid in its encoding. Source: ISO 32000-2 §7.9.2.2. */
export function textOfString({ bytes }: PdfString): string | null {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decode(UTF16, bytes.subarray(2));
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return decode(UTF8, bytes.subarray(3));
  return bytes.some((code) => UNDEFINED.has(code)) ? null : new PdfString(bytes).asString();
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    // A broken surrogate pair is compared as bytes.
    return null;
  }
}

/** Names are `{namespace}local`; `text` is the element's direct text. */
type XmlElement = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  readonly text: string;
};

type Open = {
  name: string;
  tag: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  text: string;
  scope: Scope;
};
type Scope = ReadonlyMap<string, string>;

type Reading = { readonly text: string; readonly path: Open[]; at: number; declarations: number };

const NAME = String.raw`[A-Za-z_][\w.\-]*(?::[A-Za-z_][\w.\-]*)?`;
const ATTRIBUTE = new RegExp(String.raw`\s+(${NAME})\s*=\s*("[^"<]*"|'[^'<]*')`, "y");
const CLOSE = /\s*(\/?)>/y;
/** Doctypes and CDATA are not accepted. */
const TOKEN = new RegExp(
  String.raw`<\?[^>]*\?>|<!--([\s\S]*?)-->|</(${NAME})\s*>|<(${NAME})|([^<]+)`,
  "y",
);
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};
const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
const MAX_DEPTH = 64;
/** Each declaration copies its scope: the cost would be quadratic. */
const MAX_DECLARATIONS = 1_000;
const MAX_NAMESPACE = 256;
export const MAX_XML = 1024 * 1024;

/**
 * Parses a small XML document strictly.
 * Errors: `pdf_damaged`; `pdf_too_complex` for too long a text.
 * Source: XML 1.0 §2, §4.1, §4.6; Namespaces in XML 1.0 §3, §6.
 */
export function readXml(text: string): XmlElement {
  if (text.length > MAX_XML) throw tooComplex();
  const path: Open[] = [top()];
  const reading: Reading = { text, path, at: 0, declarations: 0 };
  while (reading.at < text.length) {
    const token = take(reading, TOKEN);
    if (!token || path.length > MAX_DEPTH) throw malformed();
    const [, remark = "", ended, begun, said] = token;
    const last = path.at(-1) as Open;
    // XML 1.0 §2.5: no two hyphens, none at the end.
    if (`${remark}-`.includes("--")) throw malformed();
    if (said !== undefined) last.text += unescaped(said);
    else if (ended !== undefined) end(path, ended);
    else if (begun !== undefined) begin(reading, begun, last.scope);
  }
  const [document] = path;
  const [root] = document?.children ?? [];
  if (
    path.length !== 1 ||
    !document ||
    !root ||
    document.children.length !== 1 ||
    document.text.trim() !== ""
  )
    throw malformed();
  return root;
}

const top = (): Open => ({
  name: "",
  tag: "",
  attributes: new Map(),
  children: [],
  text: "",
  scope: new Map([["xml", XML_NAMESPACE]]),
});

function take(reading: Reading, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reading.at;
  const found = pattern.exec(reading.text);
  if (found) reading.at = pattern.lastIndex;
  return found;
}

function begin(reading: Reading, tag: string, outer: Scope): void {
  const found: (readonly [string, string])[] = [];
  for (let next = take(reading, ATTRIBUTE); next; next = take(reading, ATTRIBUTE))
    found.push([next[1] ?? "", unescaped((next[2] ?? "").slice(1, -1))]);
  const close = take(reading, CLOSE);
  if (!close) throw malformed();
  const scope = scopeWith(reading, found.filter(isDeclaration), outer);
  const attributes = new Map<string, string>();
  for (const [name, value] of found.filter((pair) => !isDeclaration(pair))) {
    const full = expanded(name, scope, "attribute");
    if (attributes.has(full)) throw malformed();
    attributes.set(full, value);
  }
  reading.path.push({
    name: expanded(tag, scope, "element"),
    tag,
    attributes,
    children: [],
    text: "",
    scope,
  });
  if (close[1]) end(reading.path, tag);
}

const isDeclaration = ([name]: readonly [string, string]): boolean =>
  name === "xmlns" || name.startsWith("xmlns:");

function scopeWith(
  reading: Reading,
  declared: readonly (readonly [string, string])[],
  outer: Scope,
): Scope {
  if (declared.length === 0) return outer;
  reading.declarations += declared.length;
  if (
    reading.declarations > MAX_DECLARATIONS ||
    declared.some(([, namespace]) => namespace.length > MAX_NAMESPACE)
  )
    throw tooComplex();
  return new Map([
    ...outer,
    ...declared.map(([name, namespace]) => [name.slice(6), namespace] as const),
  ]);
}

function end(path: Open[], tag: string): void {
  const done = path.pop();
  const parent = path.at(-1);
  if (!done || !parent || done.tag !== tag) throw malformed();
  const { name, attributes, children, text } = done;
  parent.children.push({ name, attributes, children, text });
}

/** An element without a prefix has the default namespace, an attribute none. */
function expanded(name: string, scope: Scope, kind: "attribute" | "element"): string {
  const at = name.indexOf(":");
  if (at < 0 && kind === "attribute") return `{}${name}`;
  const namespace = scope.get(at < 0 ? "" : name.slice(0, at));
  if (at >= 0 && namespace === undefined) throw malformed();
  return `{${namespace ?? ""}}${name.slice(at + 1)}`;
}

function unescaped(text: string): string {
  return text.replace(/&([^;&]{0,10};?)/g, (_all, body: string) => {
    const number = /^#(?:x([\da-fA-F]{1,6})|(\d{1,7}));$/.exec(body);
    const code = number
      ? Number.parseInt(number[1] ?? number[2] ?? "", number[1] ? 16 : 10)
      : Number.NaN;
    const found =
      number && code <= 0x10ffff
        ? String.fromCodePoint(code)
        : body.endsWith(";")
          ? ownEntry(ENTITIES, body.slice(0, -1))
          : undefined;
    if (found === undefined) throw malformed();
    return found;
  });
}

const malformed = (): PadesError => new PadesError("pdf_damaged", "Expected plain XML");
const tooComplex = (): PadesError =>
  new PadesError("pdf_too_complex", "Expected XML of a bearable size");

const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const XMP = "http://ns.adobe.com/xap/1.0/";
const XML = "http://www.w3.org/XML/1998/namespace";
/** Source: XMP part 1 (ISO 16684-1) §8.4, §8.6; part 2 §3.1. */
const NOTES: ReadonlySet<string> = new Set([
  `{${XMP}}ModifyDate`,
  `{${XMP}}MetadataDate`,
  `{${XMP}mm/}InstanceID`,
  "{http://ns.adobe.com/pdf/1.3/}Producer",
]);
const LISTS: ReadonlySet<string> = new Set(["Alt", "Bag", "Seq"].map((name) => `{${RDF}}${name}`));

type Value = string | readonly (string | readonly Value[])[];
type Property = readonly [string, Value];

/**
 * One text for one meaning of XMP, without the writer's notes.
 * Tolerance: OpenPDF and iText 2 note the time twice, as attribute and element.
 * Errors: `pdf_damaged` for what is no XMP, or says something twice; `pdf_too_complex`
 * for too long a packet.
 * Source: ISO 16684-1 §7 (serialization in RDF); ISO 32000-2 §14.3.2.
 */
export function metadataMeaning(packet: Uint8Array): string {
  const root = readXml(textOf(packet));
  const isRdf = root.name === `{${RDF}}RDF`;
  if (!isRdf && root.name !== "{adobe:ns:meta/}xmpmeta") throw unreadable();
  const said = new Map<string, Value>();
  const subjects = new Set<string>();
  for (const rdf of isRdf ? [root] : root.children) {
    if (rdf.name !== `{${RDF}}RDF` || isMixed(rdf)) throw unreadable();
    for (const description of rdf.children) {
      if (description.name !== `{${RDF}}Description`) throw unreadable();
      subjects.add(SUBJECTS.map((name) => description.attributes.get(name) ?? "").join(""));
      for (const [name, value] of propertiesOf(withoutSubject(description)))
        if (!isNote(name, value)) put(said, name, value);
    }
  }
  const [subject = "", ...others] = subjects;
  if (others.length > 0) throw unreadable();
  if (subject !== "") put(said, `{${RDF}}about`, subject);
  return JSON.stringify([...said].toSorted(byName));
}

/** Early drafts had no namespace. Source: ISO 16684-1 §7.4 (rdf:about); RDF Primer of 2004. */
const SUBJECTS: readonly string[] = [`{${RDF}}about`, "{}about"];

function withoutSubject(description: XmlElement): XmlElement {
  return {
    ...description,
    attributes: new Map([...description.attributes].filter(([name]) => !SUBJECTS.includes(name))),
  };
}

export const NO_MEANING = "[]";

const byName = ([left]: Property, [right]: Property): number => (left < right ? -1 : 1);
const isNote = (name: string, value: Value): boolean =>
  NOTES.has(name) && typeof value === "string";

function textOf(packet: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(packet);
  } catch (error) {
    throw new PadesError("pdf_damaged", "Expected metadata in UTF-8", { cause: error });
  }
}

function put(said: Map<string, Value>, name: string, value: Value): void {
  if (said.has(name)) throw unreadable();
  said.set(name, value);
}

function propertiesOf(element: XmlElement): readonly Property[] {
  const said: Property[] = [];
  if (isMixed(element)) throw unreadable();
  for (const [name, value] of element.attributes) {
    if (!(SUBJECTS.includes(name) && value === "") && name !== `{${RDF}}parseType`)
      said.push([name, value]);
  }
  for (const child of element.children) said.push([child.name, valueOf(child)]);
  return said;
}

function valueOf(element: XmlElement): Value {
  const { children, text } = element;
  const attributes = new Map(element.attributes);
  const language = attributes.get(`{${XML}}lang`);
  attributes.delete(`{${XML}}lang`);
  const value = bareValueOf({ ...element, attributes, children, text });
  return language === undefined ? value : ["in", language, [value]];
}

function bareValueOf(element: XmlElement): Value {
  const { attributes, children, text } = element;
  const [child] = children;
  const reference = attributes.get(`{${RDF}}resource`);
  if (attributes.get(`{${RDF}}parseType`) === "Resource") return structureOf(element);
  if (children.length === 0 && reference !== undefined && attributes.size === 1) return reference;
  if (children.length === 0 && attributes.size > 0 && text.trim() === "")
    return structureOf(element);
  if (attributes.size > 0 || children.length > 1 || isMixed(element)) throw unreadable();
  if (!child) return text;
  if (child.name === `{${RDF}}Description`) return structureOf(child);
  if (
    !LISTS.has(child.name) ||
    child.children.some(({ name }) => name !== `{${RDF}}li`) ||
    isMixed(child)
  )
    throw unreadable();
  return [child.name, child.children.map(valueOf)];
}

function structureOf(element: XmlElement): Value {
  const said = new Map<string, Value>();
  for (const [name, value] of propertiesOf(element)) put(said, name, value);
  return ["of", ...[...said].toSorted(byName)];
}

const isMixed = ({ text, children }: XmlElement): boolean =>
  children.length > 0 && text.trim() !== "";
const unreadable = (): PadesError => new PadesError("pdf_damaged", "Expected XMP metadata");

const DC = "http://purl.org/dc/elements/1.1/";

type Repeated = readonly [key: string, said: (text: string) => unknown];
const inWords = (text: string): unknown => [`{${RDF}}Alt`, [["in", "x-default", [text]]]];
const asItIs = (text: string): unknown => text;
/** Source: ISO 32000-2 §14.3.3, table 349; ISO 16684-1 §8. */
const REPEATED: ReadonlyMap<string, Repeated> = new Map([
  [`{${DC}}title`, ["Title", inWords]],
  [`{${DC}}description`, ["Subject", inWords]],
  [`{${DC}}creator`, ["Author", (text) => [`{${RDF}}Seq`, [text]]]],
  ["{http://ns.adobe.com/pdf/1.3/}Keywords", ["Keywords", asItIs]],
  [`{${XMP}}CreatorTool`, ["Creator", asItIs]],
  [`{${XMP}}CreateDate`, ["CreationDate", xmpDate]],
]);
/** Every PDF has these properties. */
const PLAIN: ReadonlyMap<string, RegExp> = new Map([
  [`{${DC}}format`, /^application\/pdf$/],
  [`{${XMP}mm/}DocumentID`, /^(?:uuid|xmp\.did):[0-9A-Fa-f-]{36}$/],
]);

/**
 * `meaning` comes from `metadataMeaning`.
 * Tolerance: Acrobat adds metadata to a file without any when it signs.
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
