import { createHash } from "node:crypto";
import PDFDocument from "pdfkit";
import type { StructureElement } from "pdfkit";
import { createTypesetter, type DocumentFonts, type TextStyle } from "./create-typesetter.ts";
import type { Attachment, DocumentModel } from "./document-model.ts";
import { COLOURS, drawRule, PAGE, type Sheet, type Tag, turnPage, WIDTH } from "./sheet.ts";
import { writeBlock } from "./write-block.ts";

/** How far a heading looks ahead: a heading under it, that one's own, and what they are about. */
const MOST_FOLLOWING = 3;
const FOOT: TextStyle = { face: "text", size: 7.6, colour: COLOURS.soft };

/** Says that the file is PDF/UA-1 as well; PDF/A wants the schema of what it does not know itself. Source: ISO 14289-1 §5; ISO 19005-3 §6.6.2.3. */
const PDF_UA = `
<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"><pdfuaid:part>1</pdfuaid:part></rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema><pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI><pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
<pdfaProperty:name>part</pdfaProperty:name><pdfaProperty:valueType>Integer</pdfaProperty:valueType><pdfaProperty:category>internal</pdfaProperty:category><pdfaProperty:description>Part of ISO 14289 that is followed</pdfaProperty:description>
</rdf:li></rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>`;

/**
 * Writes a document as PDF/A-3a and PDF/UA-1: on A4, its letters embedded, its structure told, its files attached.
 * Source: ISO 19005-3, level A (§6.7: logical structure; §6.8: embedded files); ISO 14289-1; ISO 32000-1 §14.8 (tagged PDF).
 */
export async function renderDocument(model: DocumentModel, fonts: DocumentFonts): Promise<Uint8Array> {
  const doc = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    pdfVersion: "1.7",
    subset: "PDF/A-3a",
    tagged: true,
    lang: model.lang,
    displayTitle: true,
    bufferPages: true,
    autoFirstPage: false,
    font: null,
    info: {
      Title: model.title,
      Subject: model.subject,
      Author: model.author,
      Creator: "Paraphe",
      Producer: "Paraphe",
      CreationDate: model.madeAt,
      ModDate: model.madeAt,
    },
  });
  const written = collect(doc);
  const sheet: Sheet = { doc, type: createTypesetter(doc, fonts), y: 0 };
  turnPage(sheet);
  const children = model.blocks.map((block, index) => writeBlock(sheet, block, model.blocks.slice(index + 1, index + 1 + MOST_FOLLOWING)));
  doc.addStructure(elementOf(doc, { type: "Document", children }));
  writeFooters(sheet, model.footer);
  attachFiles(doc, model);
  doc.appendXML(PDF_UA);
  doc.end();
  return written;
}

async function collect(doc: PDFDocument): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of doc) pieces.push(piece as Uint8Array);
  return new Uint8Array(Buffer.concat(pieces));
}

function elementOf(doc: PDFDocument, { type, scope, children }: Tag): StructureElement {
  const element = doc.struct(type, scope ? { scope } : {});
  for (const child of children) element.add("children" in child ? elementOf(doc, child) : child);
  return element;
}

/** Once all pages are there: each says which it is, of how many. */
function writeFooters({ doc, type }: Sheet, footer: string): void {
  const { start, count } = doc.bufferedPageRange();
  for (let index = start; index < start + count; index++) {
    doc.switchToPage(index);
    drawRule({ doc }, { x: PAGE.left, y: 792, width: WIDTH, height: 0.6 }, COLOURS.line);
    doc.markContent("Artifact", { type: "Pagination" });
    const number = `Page\u00a0${index + 1}\u00a0/\u00a0${count}`;
    type.draw(footer, FOOT, { x: PAGE.left, y: 806 });
    type.draw(number, FOOT, { x: PAGE.left + WIDTH - type.widthOf(number, FOOT), y: 806 });
    doc.endMarkedContent();
  }
}

/** Attaches the files to the document as a whole. Source: ISO 19005-3 §6.8; ISO 32000-2 §7.11.4, tables 43 to 45. */
function attachFiles(doc: PDFDocument, { attachments, madeAt }: DocumentModel): void {
  const specifications = attachments.map(({ name, mediaType, description, relationship, bytes }: Attachment) => {
    const file = doc.ref({
      Type: "EmbeddedFile",
      Subtype: mediaType.replace("/", "#2F"),
      Params: { ModDate: madeAt, Size: bytes.length, CheckSum: createHash("md5").update(bytes).digest() },
    });
    file.end(bytes);
    const specification = doc.ref({
      Type: "Filespec",
      AFRelationship: relationship,
      F: asText(name),
      UF: asText(name),
      Desc: asText(description),
      EF: { F: file, UF: file },
    });
    specification.end();
    doc.addNamedEmbeddedFile(name, specification);
    return specification;
  });
  if (specifications.length > 0) doc._root.data["AF"] = specifications;
}

/** The library writes a `String` object as text, a plain string as a name. */
function asText(text: string): unknown {
  // oxlint-disable-next-line no-new-wrappers
  return new String(text);
}
