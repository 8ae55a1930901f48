import { failure, isId, type Print, problem, type Result, success } from "@paraphe/contracts";
import type { JournalFacts } from "@paraphe/proof";
import encodeQR from "qr";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { AlteredFileError } from "../../../platform/files/file-store.ts";
import type { RequestClient } from "../../../platform/http/client-of.ts";
import type { Platform } from "../../../platform/platform.ts";
import type { SessionUser } from "../../accounts/public.ts";
import { isSigned, type StoredDocument } from "../../documents/public.ts";
import {
  auditActor,
  commit,
  invalidState,
  loadEnvelope,
  lockEnvelope,
  viewerOf,
} from "../../envelopes/public.ts";
import { readStoredJournal } from "../../journal/public.ts";
import { PRINT_KEY_ID, signPrint, verifyPrintSignature } from "../../trust/public.ts";
import { isNamedFile } from "./hold-envelope.ts";
import { factsOf } from "./read-whole.ts";
import { findPrint, insertPrint, loadRevisionSizes, type PrintRow, type QrType } from "./store.ts";

/** Gives a print as its owner sees it. The QR code is drawn at level Q, a quarter of it may be worn or stained, in its margin of four modules (ISO/IEC 18004 §5.3.8). */
export function presentPrint(
  platform: Pick<Platform, "secrets" | "settings">,
  print: PrintRow,
): Print {
  const sig = signPrint(platform, print);
  const verifyUrl = verifyUrlOf(platform, print);
  return {
    id: print.id,
    envelope: print.envelopeId,
    qr_type: print.qrType,
    sig,
    verify_url: verifyUrl,
    qr_svg: encodeQR(verifyUrl, "svg", { ecc: "quartile", border: 4 }),
    document_url: printUrl(print.id, "document", { sig }),
    printable_url: printUrl(print.id, "printable", { sig }),
    proof_url: printUrl(print.id, "proof", { sig }),
    created_at: print.createdAt.toISOString(),
  };
}

/** Gives the address of the page that proves a print's document. */
export function verifyUrlOf(
  platform: Pick<Platform, "secrets" | "settings">,
  print: PrintRow,
): string {
  return `${platform.settings.publicUrl}/verify/${print.id}?sig=${signPrint(platform, print)}`;
}

/** Gives the address of one of a print's calls, on this origin. */
export function printUrl(
  printId: string,
  call: "document" | "printable" | "proof" | "verify",
  query: Readonly<Record<string, string>>,
): string {
  const search = new URLSearchParams(query).toString();
  return `/api/signature/prints/${printId}/${call}/${search === "" ? "" : `?${search}`}`;
}

/** `isServed`: the file may be shown; `facts`: what the journal says, null where there is none. */
type ServedFile = { readonly isServed: boolean; readonly facts: JournalFacts | null };

/**
 * Says whether a signed file may be shown: the one that the journal last names for its document and, where it was named anew after its envelope was completed,
 * grown from the one that was signed. Throws what the file store does.
 */
async function readServed(
  platform: Pick<Platform, "db" | "files">,
  { envelopeId, document }: { readonly envelopeId: string; readonly document: StoredDocument },
): Promise<ServedFile> {
  const events = await Array.fromAsync(readStoredJournal(platform.db, envelopeId));
  // No journal at all is its own fault, not a file's.
  if (events.length === 0) return { isServed: true, facts: null };
  const facts = factsOf(events);
  const isRenewed = events.some(({ action }) => action === "archive_renewed");
  const ends = isRenewed ? await loadRevisionSizes(platform.db, document.id) : [];
  const bytes = isRenewed ? await platform.files.get(document.current.sha256) : new Uint8Array();
  const files = new Map(
    isRenewed ? facts.files : [[document.id, (facts.files.get(document.id) ?? []).slice(-1)]],
  );
  return { isServed: isNamedFile({ ...facts, files }, { document, bytes, ends }), facts };
}

/**
 * Makes a print of an envelope that was sent: an address that proves the document for as long as the paper lives.
 * Errors: `not_found` for a stranger, `not_allowed` for a recipient, `invalid_state` for a draft or a cancelled envelope.
 */
export async function generatePrint(
  platform: Platform,
  request: {
    readonly envelopeId: string;
    readonly qrType: QrType;
    readonly user: SessionUser;
    readonly client: RequestClient;
  },
): Promise<Result<PrintRow>> {
  const { user, client } = request;
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, request.envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const viewer = viewerOf(aggregate, user);
    if (!viewer.ok) return viewer;
    if (viewer.value.kind !== "owner") return failure(problem("not_allowed"));
    const { status } = aggregate.envelope;
    if (status === "draft" || status === "cancelled") return failure(invalidState(status));
    const print = {
      id: platform.newId(),
      envelopeId: request.envelopeId,
      ownerId: user.id,
      qrType: request.qrType,
      keyId: PRINT_KEY_ID,
      createdAt: platform.clock(),
    };
    await commit(trx, platform, {
      about: aggregate,
      writes: [() => insertPrint(trx, print)],
      events: [
        {
          envelopeId: request.envelopeId,
          action: "print_generated",
          actor: auditActor({ user, client }),
          detail: { print: print.id, qr_type: print.qrType },
        },
      ],
    });
    return success(print);
  });
}

type PrintDocument = {
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
  readonly name: string;
};
/** `isOwner`: asked by the owner's session, which sees what `proof_only` withholds from others. */
export type WantedDocument = {
  readonly print: PrintRow;
  readonly documentId: string | null;
  readonly isOwner: boolean;
};
/** A signed document of a print, and its envelope's title. */
type PrintedDocument = { readonly document: StoredDocument; readonly title: string };

/**
 * Gives the signed PDF that a print stands for, byte for byte.
 * Errors: `not_found` when there is none to show: not signed yet, cancelled, purged, withheld by its sender, or no such document; throws
 * `AlteredFileError` for a row that leads to another file than the journal names.
 */
export async function readPrintDocument(
  platform: Pick<Platform, "db" | "files">,
  wanted: WantedDocument,
): Promise<Result<PrintDocument>> {
  const opened = await openPrintedDocument(platform, wanted);
  if (!opened.ok) return opened;
  const { current } = opened.value.document;
  return success({
    sha256: current.sha256,
    sizeBytes: current.sizeBytes,
    name: "document_signe.pdf",
  });
}

/** Gives the signed document that a print stands for. Errors: `not_found`, as above. */
export async function openPrintedDocument(
  platform: Pick<Platform, "db" | "files">,
  { print, documentId, isOwner }: WantedDocument,
): Promise<Result<PrintedDocument>> {
  const aggregate = await loadEnvelope(platform.db, print.envelopeId);
  if (aggregate === null || aggregate.envelope.status === "cancelled")
    return failure(problem("not_found"));
  if (aggregate.envelope.proofOnly && !isOwner) return failure(problem("not_found"));
  const document =
    documentId === null
      ? aggregate.documents[0]
      : aggregate.documents.find((candidate) => candidate.id === documentId);
  if (document === undefined || !isSigned(document)) return failure(problem("not_found"));
  const { isServed, facts } = await readServed(platform, {
    envelopeId: print.envelopeId,
    document,
  });
  // What the journal withholds, or says to be gone, is so whatever a row says.
  if (facts !== null && (facts.purgedAt !== null || (facts.proofOnly === true && !isOwner)))
    return failure(problem("not_found"));
  if (!isServed) throw new AlteredFileError("The journal names another file for this document");
  return success({ document, title: aggregate.envelope.title });
}

type PrintKey = {
  readonly id: string;
  readonly sig: string | null;
  readonly userId: string | null;
};

/**
 * Gives the print that a link names: by its `sig`, or to its owner's session without one.
 * Errors: `not_found`, the same for an unknown print and a wrong `sig` (security line 56).
 */
export async function openPrint(
  platform: Pick<Platform, "db" | "secrets">,
  key: PrintKey,
): Promise<Result<PrintRow>> {
  const print = isId(key.id) ? await findPrint(platform.db, key.id) : null;
  if (print === null) return failure(problem("not_found"));
  const isOpen =
    key.sig === null
      ? key.userId === print.ownerId
      : verifyPrintSignature(platform, print, key.sig);
  return isOpen ? success(print) : failure(problem("not_found"));
}
