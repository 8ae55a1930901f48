import { failure, type Result, success } from "@paraphe/contracts";
import { refusalOver, type StoredDocument } from "../../documents/public.ts";
import type { PdfCalls } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import { buildProof } from "./build-proof.ts";
import { layOutCertificate } from "./domain/lay-out-certificate.ts";
import type { AddedPage } from "./domain/marks.ts";
import type { PageToMark } from "./domain/lay-out-copy.ts";
import { drawCodes } from "./draw-codes.ts";
import { verifyUrlOf } from "./present-print.ts";
import { printCopy } from "./print-copy.ts";
import type { PrintDeps } from "./print-deps.ts";
import { openPrintedDocument } from "./read-print-document.ts";
import { type PrintedCopy, signPageAddress } from "./sign-page-address.ts";
import type { PrintRow } from "./store.ts";

export type PrintableRequest = {
  readonly print: PrintRow;
  /** One of several; the first when null. */
  readonly documentId: string | null;
  /** Asked by the owner's session. */
  readonly isOwner: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
};

/**
 * Makes the copy to print of a signed document: its pages as they are displayed, without any signature, with the codes of this print.
 * Errors: `not_found` as for the document itself; a `pdf_*` refusal for a file that cannot be copied; throws what the file store does.
 */
export async function makePrintable(deps: PrintDeps, { print, documentId, isOwner, gone }: PrintableRequest): Promise<Result<Uint8Array>> {
  const opened = await openPrintedDocument(deps.platform, { print, documentId, isOwner });
  if (!opened.ok) return opened;
  const { document, title } = opened.value;
  const signed = await deps.platform.files.get(document.current.sha256);
  const sandbox = deps.platform.sandbox.askedBy({ key: `print:${print.envelopeId}`, haste: "patient", signal: gone });
  const copy = copyOf(deps, print, document);
  try {
    const bytes = await printCopy(sandbox, signed, {
      title: `Copie à imprimer\u00a0: ${title}`,
      pages: await pagesToMark(deps, sandbox, { print, document, copy }),
      captions: { domain: domainOf(deps), pageCount: copy.pageCount },
      addsPage: print.qrType === "certificate",
      addedPage: () => certificateOf(deps, sandbox, { print, document, copy }),
    });
    return success(bytes);
  } catch (error) {
    const refusal = refusalOver(document.name, error);
    if (refusal === null) throw error;
    return failure(refusal);
  }
}

const domainOf = ({ platform }: PrintDeps): string => new URL(platform.settings.publicUrl).host;

function copyOf({ platform }: PrintDeps, print: PrintRow, document: StoredDocument): PrintedCopy {
  return {
    printId: print.id,
    address: verifyUrlOf(platform, print),
    sha256: document.current.sha256,
    pageCount: document.pageCount,
    madeAt: platform.clock(),
  };
}

type Copied = { readonly print: PrintRow; readonly document: StoredDocument; readonly copy: PrintedCopy };

/** Every page says that it is a copy; the code is on each, on the last, or on the page that is added. */
async function pagesToMark({ trust }: PrintDeps, sandbox: PdfCalls, { print, document, copy }: Copied): Promise<readonly PageToMark[]> {
  const coded = document.pages.map((_, index) => print.qrType === "page" || (print.qrType === "last" && index + 1 === document.pageCount));
  const numbers = coded.flatMap((hasCode, index) => (hasCode ? [index + 1] : []));
  const texts: string[] = [];
  for (const pageNumber of numbers) texts.push(await signPageAddress(trust.seal, copy, pageNumber));
  const codes = new Map((await drawCodes(sandbox, texts)).map((code, index) => [numbers[index], code]));
  return document.pages.map(({ width, height }, index) => ({ pageNumber: index + 1, width, height, code: codes.get(index + 1) ?? null }));
}

async function certificateOf(deps: PrintDeps, sandbox: PdfCalls, { print, document, copy }: Copied): Promise<AddedPage> {
  const [code] = await drawCodes(sandbox, [await signPageAddress(deps.trust.seal, copy, 0)]);
  if (code === undefined) throw new Error("The code of the added page was not drawn");
  return layOutCertificate({
    proof: await buildProof(deps, { print, sig: null }),
    code,
    verifyUrl: copy.address,
    domain: domainOf(deps),
    documentName: document.name,
    sha256: Buffer.from(copy.sha256).toString("hex"),
    pageCount: copy.pageCount,
    madeAt: copy.madeAt.toISOString(),
  });
}
