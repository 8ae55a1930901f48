import { failure, problem, type Result, success } from "@paraphe/contracts";
import { AlteredFileError } from "../../../platform/files/file-store.ts";
import type { Platform } from "../../../platform/platform.ts";
import { isSigned, type StoredDocument } from "../../documents/public.ts";
import { loadEnvelope } from "../../envelopes/public.ts";
import { readServed } from "./is-served.ts";
import type { PrintRow } from "./store.ts";

export type PrintDocument = { readonly sha256: Uint8Array; readonly sizeBytes: number; readonly name: string };
/** `isOwner`: asked by the owner's session, which sees what `proof_only` withholds from others. */
export type WantedDocument = { readonly print: PrintRow; readonly documentId: string | null; readonly isOwner: boolean };
/** A signed document of a print, and its envelope's title. */
export type PrintedDocument = { readonly document: StoredDocument; readonly title: string };

/**
 * Gives the signed PDF that a print stands for, byte for byte.
 * Errors: `not_found` when there is none to show: not signed yet, cancelled, purged, withheld by its sender, or no such document; throws
 * `AlteredFileError` for a row that leads to another file than the journal names.
 */
export async function readPrintDocument(platform: Pick<Platform, "db" | "files">, wanted: WantedDocument): Promise<Result<PrintDocument>> {
  const opened = await openPrintedDocument(platform, wanted);
  if (!opened.ok) return opened;
  const { current } = opened.value.document;
  return success({ sha256: current.sha256, sizeBytes: current.sizeBytes, name: "document_signe.pdf" });
}

/** Gives the signed document that a print stands for. Errors: `not_found`, as above. */
export async function openPrintedDocument(
  platform: Pick<Platform, "db" | "files">,
  { print, documentId, isOwner }: WantedDocument,
): Promise<Result<PrintedDocument>> {
  const aggregate = await loadEnvelope(platform.db, print.envelopeId);
  if (aggregate === null || aggregate.envelope.status === "cancelled") return failure(problem("not_found"));
  if (aggregate.envelope.proofOnly && !isOwner) return failure(problem("not_found"));
  const document = documentId === null ? aggregate.documents[0] : aggregate.documents.find((candidate) => candidate.id === documentId);
  if (document === undefined || !isSigned(document)) return failure(problem("not_found"));
  const { isServed, facts } = await readServed(platform, { envelopeId: print.envelopeId, document });
  // What the journal withholds, or says to be gone, is so whatever a row says.
  if (facts !== null && (facts.purgedAt !== null || (facts.proofOnly === true && !isOwner))) return failure(problem("not_found"));
  if (!isServed) throw new AlteredFileError("The journal names another file for this document");
  return success({ document, title: aggregate.envelope.title });
}
