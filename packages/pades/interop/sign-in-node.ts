import { createRequire } from "node:module";
import { CryptoKeySigner, PDF } from "@libpdf/core";
import { NODE_MAKERS } from "./validators.ts";

/** `p12` holds private key and certificate, protected by `word`. */
export type MakerKey = {
  readonly privateKey: CryptoKey;
  readonly certificate: Uint8Array;
  readonly authority: Uint8Array;
  readonly p12: Uint8Array;
  readonly word: string;
};
type Maker = (pdf: Uint8Array, key: MakerKey, at: Date) => Promise<Uint8Array>;
type SignPdf = { sign(pdf: Uint8Array, signer: unknown, at: Date): Promise<Uint8Array> };
type P12Signer = new (p12: Uint8Array, options: { passphrase: string }) => unknown;
type Placeholder = {
  readonly reason: string;
  readonly contactInfo: string;
  readonly name: string;
  readonly location: string;
};
type LibDocument = { save(options: { useObjectStreams: boolean }): Promise<Uint8Array> };

const load = <T>(name: string): T => createRequire(NODE_MAKERS)(name) as T;
const PLACEHOLDER: Placeholder = { reason: "", contactInfo: "", name: "Tiers", location: "" };

async function signed(room: Uint8Array, { p12, word }: MakerKey, at: Date): Promise<Uint8Array> {
  const { SignPdf: Signing } = load<{ SignPdf: new () => SignPdf }>("@signpdf/signpdf");
  const { P12Signer: Signer } = load<{ P12Signer: P12Signer }>("@signpdf/signer-p12");
  return new Signing().sign(
    Buffer.from(room),
    new Signer(Buffer.from(p12), { passphrase: word }),
    at,
  );
}

const signpdf: Maker = async (pdf, key, at) => {
  const { plainAddPlaceholder } = load<{ plainAddPlaceholder(options: object): Uint8Array }>(
    "@signpdf/placeholder-plain",
  );
  return signed(
    plainAddPlaceholder({ pdfBuffer: Buffer.from(pdf), signingTime: at, ...PLACEHOLDER }),
    key,
    at,
  );
};

const pdfLib: Maker = async (pdf, key, at) => {
  const { PDFDocument } = load<{ PDFDocument: { load(pdf: Uint8Array): Promise<LibDocument> } }>(
    "pdf-lib",
  );
  const { pdflibAddPlaceholder } = load<{ pdflibAddPlaceholder(options: object): void }>(
    "@signpdf/placeholder-pdf-lib",
  );
  const pdfDoc = await PDFDocument.load(pdf);
  pdflibAddPlaceholder({ pdfDoc, signingTime: at, ...PLACEHOLDER });
  return signed(await pdfDoc.save({ useObjectStreams: false }), key, at);
};

const zga: Maker = async (pdf, { p12, word }, at) => {
  const { PdfSigner } = load<{
    PdfSigner: new (options: object) => { sign(pdf: Uint8Array): Promise<Uint8Array> };
  }>("zgapdfsigner");
  return new PdfSigner({ p12cert: p12, pwd: word, signdate: at, signame: "Tiers" }).sign(pdf);
};

const libPdf: Maker = async (pdf, { privateKey, certificate, authority }, at) => {
  const signer = new CryptoKeySigner(privateKey, certificate, "RSA", "RSASSA-PKCS1-v1_5", [
    authority,
  ]);
  const document = await PDF.load(pdf);
  return (await document.sign({ signer, signingTime: at, fieldName: "Tiers", level: "B-B" })).bytes;
};

/** `pdf-lib` rewrites the whole file and signs no signed one. */
export const NODE_SIGNERS: Readonly<Record<string, Maker>> = {
  signpdf,
  "pdf-lib": pdfLib,
  zga,
  libpdf: libPdf,
};
