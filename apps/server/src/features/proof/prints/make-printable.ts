import { toHex } from "@paraphe/kernel/bytes";
import { failure, type Result, success } from "@paraphe/contracts";
import { ecdsaDerToRaw, parseCertificate, type Signer } from "@paraphe/pades/parts";
import { HASH_PREFIX_BYTES, signStatement, type StatementKey } from "@paraphe/proof/parts";
import { type PdfCalls, SandboxLimitError } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import { refusalOver } from "../../documents/public.ts";
import { buildProof, verifyUrlOf } from "./build-proof.ts";
import {
  type AddedPage,
  type Captions,
  EDGE_PT,
  type FoundPlace,
  framesFor,
  GAP_PT,
  layOutCertificate,
  layOutPage,
  type MarkedPage,
  type PageToMark,
} from "./domain/lay-out.ts";
import { openPrintedDocument, type PrintedDocument } from "./open-print.ts";
import type { PrintDeps } from "./read-record.ts";
import type { PrintRow } from "./store.ts";

/**
 * Shape: rows from the top, no border, `true` for dark; level Q. Equal lengths give equal sizes.
 */
export async function drawCodes(
  sandbox: PdfCalls,
  texts: readonly string[],
): Promise<readonly boolean[][][]> {
  const codes: boolean[][][] = [];
  while (codes.length < texts.length)
    codes.push(...(await sandbox.call("drawCodes", texts.slice(codes.length))));
  return codes;
}

/** Codes stand where a hand turns the page, notices opposite. */
const CORNERS = {
  code: ["bottom-right", "bottom-left", "top-right", "top-left"],
  notice: ["bottom-left", "bottom-right", "top-left", "top-right"],
} as const;

/** Gives places by page; null: full, or beyond the sandbox's limits. */
async function findPlaces(
  sandbox: PdfCalls,
  bytes: Uint8Array,
  pages: readonly PageToMark[],
): Promise<readonly (FoundPlace | null)[]> {
  const wanted = pages.map((page) => ({
    pageNumber: page.pageNumber,
    width: page.width,
    height: page.height,
    sizes: framesFor(page),
    corners: page.code === null ? CORNERS.notice : CORNERS.code,
    edge: EDGE_PT,
    gap: GAP_PT,
  }));
  const found: (FoundPlace | null)[] = [];
  let most = wanted.length;
  while (found.length < wanted.length) {
    const asked = wanted.slice(found.length, found.length + most);
    try {
      found.push(...(await sandbox.call("findBlankFrames", bytes, asked)));
      most = wanted.length;
    } catch (error) {
      if (!(error instanceof SandboxLimitError)) throw error;
      // A page exceeded them: pages go one by one.
      if (asked.length === 1) found.push(null);
      else most = 1;
    }
  }
  return found;
}

const PAGES_A_TASK = 400;

type CopyRequest = {
  readonly title: string;
  readonly pages: readonly PageToMark[];
  readonly captions: Captions;
  /** True also where a page has no room. */
  readonly addsPage: boolean;
  readonly addedPage: () => Promise<AddedPage>;
};

/**
 * Flattens the file; codes take blank places or stand beside shrunk content.
 * Errors: `SandboxLimitError` and `PadesError`.
 */
export async function printCopy(
  sandbox: PdfCalls,
  signed: Uint8Array,
  request: CopyRequest,
): Promise<Uint8Array> {
  const flat = await sandbox.call("flattenForPrint", signed, { title: request.title });
  const found = await findPlaces(sandbox, flat, request.pages);
  const laidOut = request.pages.map((page, index) =>
    layOutPage(page, found[index] ?? null, request.captions),
  );
  const added = request.addsPage || laidOut.includes(null) ? [await request.addedPage()] : [];
  return addMarks(sandbox, flat, { pages: laidOut.filter(isMarked), added });
}

/** Marks the pages in several calls, as one task has a time limit. */
async function addMarks(
  sandbox: PdfCalls,
  flat: Uint8Array,
  { pages, added }: { readonly pages: readonly MarkedPage[]; readonly added: readonly AddedPage[] },
): Promise<Uint8Array> {
  let copy = flat;
  for (let from = 0; from + PAGES_A_TASK < pages.length; from += PAGES_A_TASK)
    copy = await sandbox.call("addPrintMarks", copy, {
      pages: pages.slice(from, from + PAGES_A_TASK),
      added: [],
    });
  const rest = Math.max(0, Math.ceil(pages.length / PAGES_A_TASK) - 1) * PAGES_A_TASK;
  return sandbox.call("addPrintMarks", copy, { pages: pages.slice(rest), added });
}

const isMarked = (page: MarkedPage | null): page is MarkedPage =>
  page !== null && page.codes.length + page.texts.length > 0;

/** `sha256` is the signed file's; `address` has its `sig`. */
type PrintedCopy = {
  readonly printId: string;
  readonly address: string;
  readonly sha256: Uint8Array;
  readonly pageCount: number;
  readonly madeAt: Date;
};

const HALF_BYTES = 32;

/**
 * Gives the address with a statement signed by the seal, which can be verified offline.
 * Shape: one length for all pages; `pageNumber` 0: the added page.
 * Errors: TypeError for a seal off P-256.
 */
export async function signPageAddress(
  seal: Signer,
  copy: PrintedCopy,
  pageNumber: number,
): Promise<string> {
  const statement = {
    printId: copy.printId,
    pageNumber,
    pageCount: copy.pageCount,
    hashPrefix: copy.sha256.slice(0, HASH_PREFIX_BYTES),
    madeOn: copy.madeAt.toISOString().slice(0, 10),
  };
  return `${copy.address}#${await signStatement(statement, statementKey(seal))}`;
}

function statementKey(seal: Signer): StatementKey {
  const [certificate] = seal.certificates;
  if (certificate === undefined || seal.algorithm !== "ecdsa-p256-sha256")
    throw new TypeError("Expected a seal on P-256");
  return {
    subjectPublicKey: parseCertificate(certificate).subjectPublicKey,
    async sign(data) {
      const raw = ecdsaDerToRaw(await seal.sign(data), HALF_BYTES);
      if (raw === null) throw new TypeError("Expected an ECDSA value on P-256");
      return raw;
    },
  };
}

type PrintableRequest = {
  readonly print: PrintRow;
  readonly documentId: string | null;
  readonly isOwner: boolean;
  readonly gone: AbortSignal;
};

/**
 * Gives the displayed pages without signatures, with this print's codes.
 * Errors: `not_found`; a `pdf_*` refusal; throws what the file store does.
 */
export async function makePrintable(
  deps: PrintDeps,
  { print, documentId, isOwner, gone }: PrintableRequest,
): Promise<Result<Uint8Array>> {
  const opened = await openPrintedDocument(deps.platform, { print, documentId, isOwner });
  if (!opened.ok) return opened;
  const document = opened.value;
  const signed = await deps.platform.files.get(document.sha256);
  const sandbox = deps.platform.sandbox.askedBy({
    key: `print:${print.envelopeId}`,
    haste: "patient",
    signal: gone,
  });
  try {
    const { pages } = await sandbox.call("inspect", signed);
    const copied = { print, document, pages, copy: copyOf(deps, print, document, pages.length) };
    const { copy } = copied;
    const bytes = await printCopy(sandbox, signed, {
      title: `Copie à imprimer\u00a0: ${document.title}`,
      pages: await pagesToMark(deps, sandbox, copied),
      captions: { domain: domainOf(deps), pageCount: copy.pageCount },
      addsPage: print.qrType === "certificate",
      addedPage: () => certificateOf(deps, sandbox, copied),
    });
    return success(bytes);
  } catch (error) {
    const refusal = refusalOver(document.name, error);
    if (refusal === null) throw error;
    return failure(refusal);
  }
}

const domainOf = ({ platform }: PrintDeps): string => new URL(platform.settings.publicUrl).host;

function copyOf(
  { platform }: PrintDeps,
  print: PrintRow,
  { sha256 }: PrintedDocument,
  pageCount: number,
): PrintedCopy {
  const [address, madeAt] = [verifyUrlOf(platform, print), platform.clock()];
  return { printId: print.id, address, sha256, pageCount, madeAt };
}

type Copied = {
  readonly print: PrintRow;
  readonly document: PrintedDocument;
  readonly pages: readonly { readonly width: number; readonly height: number }[];
  readonly copy: PrintedCopy;
};

/** Each page says it is a copy; codes stand on each, the last or the added page. */
async function pagesToMark(
  { trust }: PrintDeps,
  sandbox: PdfCalls,
  { print, pages, copy }: Copied,
): Promise<readonly PageToMark[]> {
  const coded = pages.map(
    (_, index) =>
      print.qrType === "page" || (print.qrType === "last" && index + 1 === pages.length),
  );
  const numbers = coded.flatMap((hasCode, index) => (hasCode ? [index + 1] : []));
  const texts: string[] = [];
  for (const pageNumber of numbers) texts.push(await signPageAddress(trust.seal, copy, pageNumber));
  const codes = new Map(
    (await drawCodes(sandbox, texts)).map((code, index) => [numbers[index], code]),
  );
  return pages.map(({ width, height }, index) => ({
    pageNumber: index + 1,
    width,
    height,
    code: codes.get(index + 1) ?? null,
  }));
}

async function certificateOf(
  deps: PrintDeps,
  sandbox: PdfCalls,
  { print, document, copy }: Copied,
): Promise<AddedPage> {
  const [code] = await drawCodes(sandbox, [await signPageAddress(deps.trust.seal, copy, 0)]);
  if (code === undefined) throw new Error("The code of the added page was not drawn");
  return layOutCertificate({
    proof: await buildProof(deps, { print, sig: null }),
    code,
    verifyUrl: copy.address,
    domain: domainOf(deps),
    documentName: document.name,
    sha256: toHex(copy.sha256),
    pageCount: copy.pageCount,
    madeAt: copy.madeAt.toISOString(),
  });
}
