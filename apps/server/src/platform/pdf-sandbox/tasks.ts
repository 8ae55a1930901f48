import { type KeyObject, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { deflateSync } from "node:zlib";
import {
  type DocumentTimestampOptions,
  type Evidence,
  type FoundForm,
  type LongTermNeeds,
  type PdfInspection,
  type PrepareFieldsOptions,
  type PrepareSignatureOptions,
  type PreparedSignature,
  type RehearsalMeans,
  type Signer,
  type TagCover,
  type ValidationPolicy,
  type ValidationReport,
  controlPdf,
  createRoot,
  createTimestampToken,
  findForm,
  inspectPdf,
  issueCertificate,
  longTermNeeds,
  normalisePdf,
  positiveSerialNumber,
  prepareDocumentTimestamp,
  prepareFields,
  prepareSignature,
  takeForm,
  useLatinText,
  validate,
} from "@paraphe/pades";
import { digestOf, useCryptography } from "@paraphe/pades/cryptography";
import { type PrintMarksOptions, addPrintMarks, flattenForPrint } from "@paraphe/pades/print";
import encodeQR from "qr";
import { nodeCryptography } from "../cryptography/node-cryptography.ts";
import { loadFonts, loadTitleFont } from "../fonts/load-fonts.ts";
import type { DocumentModel } from "../pdf-document/create-typesetter.ts";
import type { LooksComparison } from "../pdf-ink/compare-looks.ts";
import type { BlankFrame, PageWanted } from "../pdf-ink/find-blank-frame.ts";
import type { UnreadTags } from "../pdf-ink/find-tags.ts";

const sha256 = (pieces: readonly Uint8Array[]) => digestOf("SHA-256", pieces);

function latinText({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

/** Below a task's limit, so that others get a turn. */
const LOOKING_MS = 3_000;

type SignatureOptions = Omit<PrepareSignatureOptions, "fonts" | "sha256" | "deflate">;

/** `unread`: almost text tags. */
export type FoundInFile = FoundForm & { readonly unread: UnreadTags };
export type TakenForm = {
  readonly form: FoundInFile;
  readonly bytes: Uint8Array;
  readonly inspection: PdfInspection;
};

/** Errors: `PadesError`. */
export type PdfTasks = {
  inspect(bytes: Uint8Array, namePrefix?: string): Promise<PdfInspection>;
  /** Rehearses from preparation to validation. Errors: also `pdf_unfinishable`. */
  control(bytes: Uint8Array, namePrefix?: string): Promise<PdfInspection>;
  normalise(bytes: Uint8Array): Promise<Uint8Array>;
  /** Compares a `fixable` file up to the first difference, or for some seconds. */
  compareWithCopy(
    bytes: Uint8Array,
    pages: { readonly pageCount: number; readonly from: number },
  ): Promise<LooksComparison>;
  findForm(bytes: Uint8Array): Promise<FoundInFile>;
  /** The file without its form, and without its tags if asked, with what was found. */
  takeForm(
    bytes: Uint8Array,
    options: { readonly erasesTags: boolean; readonly at: Date },
  ): Promise<TakenForm>;
  prepareFields(
    bytes: Uint8Array,
    options: Omit<PrepareFieldsOptions, "fonts">,
  ): Promise<Uint8Array>;
  prepareSignature(bytes: Uint8Array, options: SignatureOptions): Promise<PreparedSignature>;
  /** Adds the fields too, where one person signs. */
  prepareOwnSignature(
    bytes: Uint8Array,
    options: {
      readonly fields: Omit<PrepareFieldsOptions, "fonts">;
      readonly signature: SignatureOptions;
    },
  ): Promise<PreparedSignature>;
  longTermNeeds(
    bytes: Uint8Array,
    known: Pick<Evidence, "trustAnchors" | "certificates">,
  ): Promise<LongTermNeeds>;
  prepareDocumentTimestamp(
    bytes: Uint8Array,
    options: Omit<DocumentTimestampOptions, "sha256">,
  ): Promise<PreparedSignature>;
  /** Gives the displayed content without signatures, forms and actions. `title`: of the copy. */
  flattenForPrint(bytes: Uint8Array, options: { readonly title: string }): Promise<Uint8Array>;
  /** Gives PNG; null if undrawable. Pages from 1. */
  drawPage(bytes: Uint8Array, pageNumber: number): Promise<Uint8Array | null>;
  /** Reads pages for some seconds, one at least. */
  findBlankFrames(
    bytes: Uint8Array,
    pages: readonly PageWanted[],
  ): Promise<readonly (BlankFrame | null)[]>;
  /** Draws QR (level Q, no border, `true` is dark) for some seconds, one at least. */
  drawCodes(texts: readonly string[]): Promise<readonly boolean[][][]>;
  addPrintMarks(bytes: Uint8Array, options: Omit<PrintMarksOptions, "fonts">): Promise<Uint8Array>;
  renderDocument(model: DocumentModel): Promise<Uint8Array>;
  validate(
    bytes: Uint8Array,
    context: { evidence: Evidence; now: Date; policy?: ValidationPolicy },
  ): Promise<ValidationReport>;
};

function useNodeMeans(): void {
  useCryptography(nodeCryptography);
  useLatinText(latinText);
}

export async function loadTasks(): Promise<PdfTasks> {
  useNodeMeans();
  // Fonts take a seventh of a start; many children draw no text.
  const withFonts = async <T>(options: T) => ({ ...options, fonts: await loadFonts() });
  const prepareOne = async (bytes: Uint8Array, options: SignatureOptions) =>
    prepareSignature(bytes, await withFonts({ ...options, sha256, deflate: deflateSync }));
  const prepareAll = async (bytes: Uint8Array, options: Omit<PrepareFieldsOptions, "fonts">) =>
    prepareFields(bytes, await withFonts(options));
  const rehearsalMeans = createRehearsalMeans();
  return {
    inspect: inspectPdf,
    control: async (bytes, namePrefix) =>
      controlPdf(
        bytes,
        await withFonts({ ...(await rehearsalMeans()), namePrefix, sha256, deflate: deflateSync }),
      ),
    normalise: async (bytes) => normalisePdf(bytes, await withFonts({})),
    async compareWithCopy(original, pages) {
      const { compareLooks } = await import("../pdf-ink/compare-looks.ts");
      const copy = await normalisePdf(original, await withFonts({}));
      const until = performance.now() + LOOKING_MS;
      return compareLooks({ original, copy, ...pages }, () => performance.now() > until);
    },
    findForm: async (bytes) => (await findWithTags(bytes)).form,
    async takeForm(bytes, { erasesTags, at }) {
      const { form, covers } = await findWithTags(bytes);
      return takeFound(bytes, { form, covers: erasesTags ? covers : [], at });
    },
    prepareFields: prepareAll,
    prepareSignature: prepareOne,
    async prepareOwnSignature(bytes, { fields, signature }) {
      return prepareOne(await prepareAll(bytes, fields), signature);
    },
    longTermNeeds,
    prepareDocumentTimestamp: (bytes, options) =>
      prepareDocumentTimestamp(bytes, { ...options, sha256 }),
    flattenForPrint: async (bytes, options) => flattenForPrint(bytes, await withFonts(options)),
    async drawPage(bytes, pageNumber) {
      const { drawPage } = await import("../pdf-ink/pdfium-document.ts");
      return drawPage(bytes, pageNumber);
    },
    async findBlankFrames(bytes, pages) {
      const { findBlankFrames } = await import("../pdf-ink/find-blank-frame.ts");
      const until = performance.now() + LOOKING_MS;
      return findBlankFrames(bytes, pages, () => performance.now() > until);
    },
    async drawCodes(texts) {
      const until = performance.now() + LOOKING_MS;
      const codes: boolean[][][] = [];
      for (const text of texts)
        if (codes.length === 0 || performance.now() < until) codes.push(drawCode(text));
      return codes;
    },
    async addPrintMarks(bytes, options) {
      const [fonts, title] = await Promise.all([loadFonts(), loadTitleFont()]);
      return addPrintMarks(bytes, { ...options, fonts: { ...fonts, title }, deflate: deflateSync });
    },
    renderDocument: renderModel,
    validate,
  };
}

async function findWithTags(
  bytes: Uint8Array,
): Promise<{ readonly form: FoundInFile; readonly covers: readonly TagCover[] }> {
  const form = await findForm(bytes);
  if (form.state !== "usable")
    return { form: { ...form, unread: { count: 0, tags: [] } }, covers: [] };
  const { fieldsOfTags, findTags } = await import("../pdf-ink/find-tags.ts");
  const until = performance.now() + LOOKING_MS;
  const { tags, unread, isCut } = await findTags(bytes, () => performance.now() > until);
  const fields = [...form.fields, ...fieldsOfTags(tags, form.fields)];
  return {
    form: { ...form, fields, unread, isCut: form.isCut || isCut },
    covers: tags.flatMap(({ covers }) => covers),
  };
}

async function takeFound(
  bytes: Uint8Array,
  { form, ...options }: Parameters<typeof takeForm>[1] & { readonly form: FoundInFile },
): Promise<TakenForm> {
  const taken = await takeForm(bytes, options);
  return { form, bytes: taken, inspection: await inspectPdf(taken) };
}

/** Runs what most children run first. */
export async function warmUp(tasks: PdfTasks): Promise<void> {
  const page = await tasks.renderDocument({
    title: "Paraphe",
    subject: "",
    author: "",
    lang: "fr",
    madeAt: new Date(),
    footer: "",
    blocks: [],
    attachments: [],
  });
  await tasks.control(page);
  await tasks.drawPage(page, 1);
}

function drawCode(text: string): boolean[][] {
  const bordered = encodeQR(text, "raw", { ecc: "quartile", encoding: "byte", border: 1 });
  return bordered.slice(1, -1).map((row) => row.slice(1, -1));
}

async function renderModel(model: DocumentModel): Promise<Uint8Array> {
  const [{ renderDocument }, { loadDocumentFonts }] = await Promise.all([
    import("../pdf-document/render-document.ts"),
    import("../pdf-document/create-typesetter.ts"),
  ]);
  return renderDocument(model, await loadDocumentFonts());
}

const DAY_MS = 86_400_000;
const VALID_MS = 3_650 * DAY_MS;
const POLICY = "2.25.1";

type Means = Pick<RehearsalMeans, "signer" | "tsa" | "root" | "now">;

/**
 * Makes throw-away keys: an untrusted root, one signer, one time-stamping authority, which states
 * each rehearsal's time.
 */
function createRehearsalMeans(): () => Promise<Means> {
  let kept: ReturnType<typeof makeKeys> | null = null;
  return async () => {
    kept ??= makeKeys();
    const { root, signer, stamper } = await kept;
    const now = new Date();
    const timestamp = (imprint: Uint8Array) =>
      createTimestampToken(
        { hashAlgorithm: "SHA-256", imprint, nonce: null, certificateRequested: true },
        { signer: stamper, policyOid: POLICY, serialNumber: serial(), now },
      );
    return { signer, tsa: { timestamp }, root, now };
  };
}

async function makeKeys(): Promise<{
  readonly root: Uint8Array;
  readonly signer: Signer;
  readonly stamper: Signer;
}> {
  const [top, person, authority] = [makeKey(), makeKey(), makeKey()];
  const from = Date.now();
  const common = { notBefore: new Date(from - DAY_MS), notAfter: new Date(from + VALID_MS) };
  const rootName = { commonName: "Répétition" };
  const root = await createRoot(signerOf(top.privateKey, []), {
    ...common,
    subject: rootName,
    serialNumber: serial(),
    subjectPublicKey: top.spki,
  });
  const issuer = signerOf(top.privateKey, [root]);
  const issue = async (
    { privateKey, spki }: ReturnType<typeof makeKey>,
    profile: "signer" | "tsa",
  ): Promise<Signer> => {
    const subject = { commonName: `Répétition ${profile}` };
    const der = await issueCertificate(issuer, {
      ...common,
      profile,
      subject,
      serialNumber: serial(),
      subjectPublicKey: spki,
    });
    return signerOf(privateKey, [der]);
  };
  return { root, signer: await issue(person, "signer"), stamper: await issue(authority, "tsa") };
}

function makeKey(): { readonly privateKey: KeyObject; readonly spki: Uint8Array } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { privateKey, spki: new Uint8Array(publicKey.export({ type: "spki", format: "der" })) };
}

function signerOf(key: KeyObject, certificates: readonly Uint8Array[]): Signer {
  const signed = (data: Uint8Array) =>
    new Uint8Array(sign("sha256", data, { key, dsaEncoding: "der" }));
  return { certificates, algorithm: "ecdsa-p256-sha256", sign: async (data) => signed(data) };
}

const serial = (): Uint8Array => positiveSerialNumber(new Uint8Array(randomBytes(16)));
