import { ownEntry } from "../own-entry.ts";
import { PadesError } from "../pades-error.ts";

/** An element: names are `{namespace}local`; text is what stands directly in it. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  readonly text: string;
};

type Open = { name: string; tag: string; attributes: ReadonlyMap<string, string>; children: XmlElement[]; text: string; scope: Scope };
type Scope = ReadonlyMap<string, string>;

/** What is being read, from where, and how many prefixes were declared so far. */
type Reading = { readonly text: string; readonly path: Open[]; at: number; declarations: number };

const NAME = String.raw`[A-Za-z_][\w.\-]*(?::[A-Za-z_][\w.\-]*)?`;
const ATTRIBUTE = new RegExp(String.raw`\s+(${NAME})\s*=\s*("[^"<]*"|'[^'<]*')`, "y");
const CLOSE = /\s*(\/?)>/y;
/** Instructions and remarks; an end; a beginning; text. What begins otherwise (a document type, a section) is not read. */
const TOKEN = new RegExp(String.raw`<\?[^>]*\?>|<!--([\s\S]*?)-->|</(${NAME})\s*>|<(${NAME})|([^<]+)`, "y");
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
const MAX_DEPTH = 64;
/** Each declaration copies those around it, each name holds its whole namespace: without bounds a small text costs its square. */
const MAX_DECLARATIONS = 1_000;
const MAX_NAMESPACE = 256;
/** The longest text that is read, in characters. */
export const MAX_XML = 1024 * 1024;

/**
 * Reads a small XML document strictly: no document type, no entities of its own, every prefix declared.
 * Errors: PadesError `pdf_damaged`; `pdf_too_complex` for more than a bearable text.
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
    // Source: XML 1.0 §2.5: no two hyphens within a remark, none before its end.
    if (`${remark}-`.includes("--")) throw malformed();
    if (said !== undefined) last.text += unescaped(said);
    else if (ended !== undefined) end(path, ended);
    else if (begun !== undefined) begin(reading, begun, last.scope);
  }
  const [document] = path;
  const [root] = document?.children ?? [];
  if (path.length !== 1 || !document || !root || document.children.length !== 1 || document.text.trim() !== "") throw malformed();
  return root;
}

const top = (): Open => ({ name: "", tag: "", attributes: new Map(), children: [], text: "", scope: new Map([["xml", XML_NAMESPACE]]) });

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
  reading.path.push({ name: expanded(tag, scope, "element"), tag, attributes, children: [], text: "", scope });
  if (close[1]) end(reading.path, tag);
}

const isDeclaration = ([name]: readonly [string, string]): boolean => name === "xmlns" || name.startsWith("xmlns:");

/** The prefixes that hold in an element: those around it, where it declares none. */
function scopeWith(reading: Reading, declared: readonly (readonly [string, string])[], outer: Scope): Scope {
  if (declared.length === 0) return outer;
  reading.declarations += declared.length;
  if (reading.declarations > MAX_DECLARATIONS || declared.some(([, namespace]) => namespace.length > MAX_NAMESPACE)) throw tooComplex();
  return new Map([...outer, ...declared.map(([name, namespace]) => [name.slice(6), namespace] as const)]);
}

function end(path: Open[], tag: string): void {
  const done = path.pop();
  const parent = path.at(-1);
  if (!done || !parent || done.tag !== tag) throw malformed();
  const { name, attributes, children, text } = done;
  parent.children.push({ name, attributes, children, text });
}

/** An attribute without a prefix is in no namespace; an element without one is in the default one. */
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
    const code = number ? Number.parseInt(number[1] ?? number[2] ?? "", number[1] ? 16 : 10) : Number.NaN;
    const found =
      number && code <= 0x10ffff ? String.fromCodePoint(code) : body.endsWith(";") ? ownEntry(ENTITIES, body.slice(0, -1)) : undefined;
    if (found === undefined) throw malformed();
    return found;
  });
}

const malformed = (): PadesError => new PadesError("pdf_damaged", "Expected plain XML");
const tooComplex = (): PadesError => new PadesError("pdf_too_complex", "Expected XML of a bearable size");
