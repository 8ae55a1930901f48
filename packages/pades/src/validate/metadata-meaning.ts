import { PadesError } from "../pades-error.ts";
import { readXml, type XmlElement } from "./read-xml.ts";

const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const XMP = "http://ns.adobe.com/xap/1.0/";
const XML = "http://www.w3.org/XML/1998/namespace";
/** What a writer notes of itself and of the time. Source: XMP part 1 (ISO 16684-1) §8.4, §8.6; part 2 §3.1. */
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
 * Gives what XMP metadata says of the document, without what a writer notes of itself: one text for one meaning, however it is written.
 * Shape: a property may be an attribute or an element, a structure a description or a resource, an address a text or a reference; what it
 * is about is said of all of it.
 * Tolerance: OpenPDF and iText 2 note the time in an element beside the attribute that notes it already: what says nothing may be said twice.
 * Errors: PadesError `pdf_damaged` for what is no XMP, or says a thing twice; `pdf_too_complex` for more than a bearable packet.
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
      for (const [name, value] of propertiesOf(withoutSubject(description))) if (!isNote(name, value)) put(said, name, value);
    }
  }
  const [subject = "", ...others] = subjects;
  if (others.length > 0) throw unreadable();
  if (subject !== "") put(said, `{${RDF}}about`, subject);
  return JSON.stringify([...said].toSorted(byName));
}

/** What was written before RDF had its name for it has none. Source: ISO 16684-1 §7.4 (rdf:about); RDF Primer of 2004, appendix on syntax. */
const SUBJECTS: readonly string[] = [`{${RDF}}about`, "{}about"];

function withoutSubject(description: XmlElement): XmlElement {
  return { ...description, attributes: new Map([...description.attributes].filter(([name]) => !SUBJECTS.includes(name))) };
}

/** What no property says: nothing. */
export const NO_MEANING = "[]";

const byName = ([left]: Property, [right]: Property): number => (left < right ? -1 : 1);
const isNote = (name: string, value: Value): boolean => NOTES.has(name) && typeof value === "string";

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
    if (!(SUBJECTS.includes(name) && value === "") && name !== `{${RDF}}parseType`) said.push([name, value]);
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
  if (children.length === 0 && attributes.size > 0 && text.trim() === "") return structureOf(element);
  if (attributes.size > 0 || children.length > 1 || isMixed(element)) throw unreadable();
  if (!child) return text;
  if (child.name === `{${RDF}}Description`) return structureOf(child);
  if (!LISTS.has(child.name) || child.children.some(({ name }) => name !== `{${RDF}}li`) || isMixed(child)) throw unreadable();
  return [child.name, child.children.map(valueOf)];
}

function structureOf(element: XmlElement): Value {
  const said = new Map<string, Value>();
  for (const [name, value] of propertiesOf(element)) put(said, name, value);
  return ["of", ...[...said].toSorted(byName)];
}

const isMixed = ({ text, children }: XmlElement): boolean => children.length > 0 && text.trim() !== "";
const unreadable = (): PadesError => new PadesError("pdf_damaged", "Expected XMP metadata");
