/** The part of `pdfkit` 0.20 that the service calls, some of it of its own internals: where a file's attachments are listed. */
declare module "pdfkit" {
  import type { Readable } from "node:stream";
  import type { Font } from "fontkit";

  /** A reference to an object of the file; `end` writes it, with these bytes when it is a stream. */
  export type Reference = { readonly data: Record<string, unknown>; end(bytes?: Uint8Array): void };
  /** What one page shows of a structure element. */
  export type StructureContent = { readonly refs: readonly unknown[] };
  export type StructureElement = {
    add(child: StructureContent | StructureElement): StructureElement;
  };
  export type Outline = { addItem(title: string): Outline };

  export type DocumentOptions = {
    readonly size: readonly [number, number];
    readonly margin: number;
    readonly pdfVersion: "1.7";
    readonly subset: "PDF/A-3a";
    readonly tagged: true;
    readonly lang: string;
    readonly displayTitle: true;
    readonly bufferPages: true;
    readonly autoFirstPage: false;
    readonly font: null;
    readonly info: Readonly<Record<string, string | Date>>;
  };
  export type TextOptions = { readonly lineBreak: false; readonly baseline: "alphabetic" };

  export default class PDFDocument extends Readable {
    constructor(options: DocumentOptions);
    readonly outline: Outline;
    readonly _root: Reference;
    addPage(): this;
    switchToPage(index: number): unknown;
    bufferedPageRange(): { readonly start: number; readonly count: number };
    registerFont(name: string, font: Font): this;
    font(name: string): this;
    fontSize(size: number): this;
    widthOfString(text: string): number;
    // oxlint-disable-next-line max-params -- the library's own
    text(text: string, x: number, y: number, options: TextOptions): this;
    // oxlint-disable-next-line max-params -- the library's own
    rect(x: number, y: number, width: number, height: number): this;
    fill(colour: string): this;
    fillColor(colour: string): this;
    markContent(tag: "Artifact", options: { readonly type: "Layout" | "Pagination" }): this;
    markStructureContent(tag: string): StructureContent;
    endMarkedContent(): this;
    struct(
      type: string,
      options: { readonly scope?: "Row" | "Column"; readonly title?: string },
    ): StructureElement;
    addStructure(element: StructureElement): this;
    ref(data: Record<string, unknown>): Reference;
    addNamedEmbeddedFile(name: string, file: Reference): void;
    /** Adds RDF to the metadata. */
    appendXML(rdf: string): void;
    end(): void;
  }
}
