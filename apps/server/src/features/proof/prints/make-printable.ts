import { toHex } from "@paraphe/kernel/bytes";
import { failure, type Result, success } from "@paraphe/contracts";
import { ecdsaDerToRaw, parseCertificate, type Signer } from "@paraphe/pades/parts";
import { HASH_PREFIX_BYTES, signStatement, type StatementKey } from "@paraphe/proof/parts";
import { type PdfCalls, SandboxLimitError } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import { refusalOver } from "../../documents/public.ts";
import { buildProof } from "./build-proof.ts";
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
import { openPrintedDocument, type PrintedDocument, verifyUrlOf } from "./open-print.ts";
import type { PrintDeps } from "./print-deps.ts";
import type { PrintRow } from "./store.ts";

/**
 * Gives the QR codes of these texts, in their order.
 * Shape: rows of modules from the top, without a border, `true` for dark; level Q. Those of equally
 * long texts are equally large.
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

/** A code stands where a hand turns the page, a notice opposite. */
const CORNERS = {
  code: ["bottom-right", "bottom-left", "top-right", "top-left"],
  notice: ["bottom-left", "bottom-right", "top-left", "top-right"],
} as const;

/**
 * Gives the blank places found on the pages of a copy, in their order; null for a full page, and
 * for one that costs more to look at than the
 * sandbox gives: its content makes room, then.
 */
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
      // One of them was too much: which, is seen one by one.
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
  /** Whether a page is added behind; it is too when some page has no room for its code. */
  readonly addsPage: boolean;
  /** Makes that page: not asked for it otherwise. */
  readonly addedPage: () => Promise<AddedPage>;
};

/**
 * Gives the copy to print of a file: flattened, its codes on blank places of the pages, or on
 * margins made by shrinking what fills them.
 * Errors: `SandboxLimitError` and `PadesError` for a file that cannot be copied.
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

/** Some pages at a time: those of a long document are more than one task is given the time for. */
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

/**
 * The copy that pages belong to. `sha256`: of the signed file it was made from; `address`: the
 * print's page of verification, with its `sig`.
 */
type PrintedCopy = {
  readonly printId: string;
  readonly address: string;
  readonly sha256: Uint8Array;
  readonly pageCount: number;
  readonly madeAt: Date;
};

const HALF_BYTES = 32;

/**
 * Gives what the code of a page holds: the address of its print, and a statement signed by the seal
 * that can be checked without the service.
 * Shape: all those of one copy are equally long. `pageNumber` is 0 for a page that was added.
 * Errors: TypeError for a seal that is not on P-256.
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
  /** One of several; the first when null. */
  readonly documentId: string | null;
  /** Asked by the owner's session. */
  readonly isOwner: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
};

/**
 * Makes the copy to print of a signed document: its pages as they are displayed, without any
 * signature, with the codes of this print.
 * Errors: `not_found` as for the document itself; a `pdf_*` refusal for a file that cannot be
 * copied; throws what the file store does.
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

/**
 * Every page says that it is a copy; the code is on each, on the last, or on the page that is
 * added.
 */
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
