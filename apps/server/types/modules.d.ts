/** The part of `pdfkit` 0.20 that the service calls, some of it internal. */
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
    appendXML(rdf: string): void;
    end(): void;
  }
}

/** The part of `fontkit` 2.0 that the service calls, for `pdfkit` to draw with. */
declare module "fontkit" {
  /** `_tables` is of its internals: what was decoded of the file so far. */
  export type Font = { _tables: Readonly<Record<string, unknown>> };
  export function create(bytes: Uint8Array): Font;
}

/**
 * The part of `pkcs11js` 2.1.7 that the service calls; it is absent where it could not be compiled.
 */
declare module "pkcs11js" {
  export type Handle = Buffer;
  export type Mechanism = { mechanism: number; parameter?: Buffer | null };
  export type Attribute = { type: number; value?: number | boolean | string | Buffer };

  export class PKCS11 {
    load(path: string): void;
    close(): void;
    C_Initialize(options?: { flags?: number }): void;
    C_Finalize(): void;
    C_GetSlotList(tokenPresent?: boolean): Handle[];
    C_GetTokenInfo(slot: Handle): { label: string };
    C_OpenSession(slot: Handle, flags: number): Handle;
    C_CloseSession(session: Handle): void;
    C_CloseAllSessions(slot: Handle): void;
    C_GetSessionInfo(session: Handle): { state: number };
    C_Login(session: Handle, userType: number, pin?: string): void;
    C_FindObjectsInit(session: Handle, template?: Attribute[]): void;
    C_FindObjects(session: Handle): Handle | null;
    C_FindObjects(session: Handle, maxObjectCount: number): Handle[];
    C_FindObjectsFinal(session: Handle): void;
    C_GetAttributeValue(session: Handle, object: Handle, template: Attribute[]): Attribute[];
    C_SignInit(session: Handle, mechanism: Mechanism, key: Handle): void;
    C_SignAsync(session: Handle, data: Buffer, output: Buffer): Promise<Buffer>;
    C_GenerateKeyPair(
      session: Handle,
      mechanism: Mechanism,
      ...templates: [publicTemplate: Attribute[], privateTemplate: Attribute[]]
    ): { privateKey: Handle; publicKey: Handle };
  }

  export const CKA_CLASS: number;
  export const CKA_EC_PARAMS: number;
  export const CKA_EC_POINT: number;
  export const CKA_KEY_TYPE: number;
  export const CKA_LABEL: number;
  export const CKA_MODULUS: number;
  export const CKA_MODULUS_BITS: number;
  export const CKA_PRIVATE: number;
  export const CKA_PUBLIC_EXPONENT: number;
  export const CKA_SENSITIVE: number;
  export const CKA_SIGN: number;
  export const CKA_TOKEN: number;
  export const CKA_VERIFY: number;
  export const CKF_OS_LOCKING_OK: number;
  export const CKF_RW_SESSION: number;
  export const CKF_SERIAL_SESSION: number;
  export const CKK_EC: number;
  export const CKK_RSA: number;
  export const CKM_ECDSA: number;
  export const CKM_EC_KEY_PAIR_GEN: number;
  export const CKM_RSA_PKCS_KEY_PAIR_GEN: number;
  export const CKM_SHA256_RSA_PKCS: number;
  export const CKO_PRIVATE_KEY: number;
  export const CKO_PUBLIC_KEY: number;
  export const CKR_PIN_INCORRECT: number;
  export const CKR_PIN_INVALID: number;
  export const CKR_PIN_LEN_RANGE: number;
  export const CKR_PIN_LOCKED: number;
  export const CKR_USER_ALREADY_LOGGED_IN: number;
  export const CKU_USER: number;
}
