import { failure, isId, type Print, problem, type Result, success } from "@paraphe/contracts";
import { lastFileOf } from "@paraphe/proof/parts";
import encodeQR from "qr";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { AlteredFileError } from "../../../platform/files/file-store.ts";
import type { RequestClient } from "../../../platform/http/request-facts.ts";
import type { Platform } from "../../../platform/platform.ts";
import type { SessionUser } from "../../accounts/public.ts";
import {
  auditActor,
  commit,
  invalidState,
  lockEnvelope,
  viewerOf,
} from "../../envelopes/public.ts";
import { PRINT_KEY_ID, signPrint, verifyPrintSignature } from "../../trust/public.ts";
import { printUrl, verifyUrlOf } from "./build-proof.ts";
import { isGrown, readPrinted } from "./read-record.ts";
import { findPrint, insertPrint, type PrintRow, type QrType } from "./store.ts";

/** Level Q survives a quarter of wear, in a margin of four modules (ISO/IEC 18004 §5.3.8). */
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

/**
 * Gives an address that proves the document as long as the paper lives.
 * Errors: `not_found`, `not_allowed` for a recipient, `invalid_state` for a draft or a cancelled
 * envelope.
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

/** `isOwner`: by session; `proof_only` does not restrict the owner. */
export type WantedDocument = {
  readonly print: PrintRow;
  readonly documentId: string | null;
  readonly isOwner: boolean;
};
export type PrintedDocument = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly sha256: Uint8Array;
};

/**
 * Opens the file that the journal names.
 * Errors: `not_found` when not signed, cancelled, purged, withheld or unknown; `print_returned`;
 * throws what the file store does, and `AlteredFileError` when a later file does not begin with it.
 */
export async function openPrintedDocument(
  platform: Pick<Platform, "db" | "files">,
  { print, documentId, isOwner }: WantedDocument,
): Promise<Result<PrintedDocument>> {
  const read = await readPrinted(platform.db, print);
  if (!read.ok) return read;
  const record = read.value;
  const { facts } = record;
  const id = documentId ?? facts.documents[0];
  const hash = id === undefined ? null : lastFileOf(facts, id);
  const isWithheld =
    facts.state === "cancelled" || facts.purgedAt !== null || (facts.proofOnly && !isOwner);
  if (isWithheld || id === undefined || hash === null) return failure(problem("not_found"));
  const sha256 = new Uint8Array(Buffer.from(hash, "hex"));
  if (record.events.some(({ action }) => action === "archive_renewed")) {
    const bytes = await platform.files.get(sha256);
    if (!isGrown(record, { id, sha256: hash, bytes, ends: revisionEnds(bytes) }))
      throw new AlteredFileError("The journal names another file for this document");
  }
  return success({
    id,
    name: facts.documentNames.get(id) ?? "Document",
    title: facts.title ?? "",
    sha256,
  });
}

const END = "%%EOF";
/** Enough for a hundred signers and decades of renewals. */
const MOST_REVISIONS = 1_000;

/** Gives ends of earlier revisions (ISO 32000-2 §7.5.5). */
function revisionEnds(bytes: Uint8Array): readonly number[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const ends: number[] = [];
  for (let at = file.lastIndexOf(END); at >= 0 && ends.length < 3 * MOST_REVISIONS; ) {
    // The marker ends with no end of line, one character, or two.
    ends.push(...[0, 1, 2].map((eol) => at + END.length + eol));
    at = at === 0 ? -1 : file.lastIndexOf(END, at - 1);
  }
  return ends;
}

type PrintKey = {
  readonly id: string;
  readonly sig: string | null;
  readonly userId: string | null;
};

/**
 * Admits by `sig`, or the owner's session.
 * Errors: `not_found`, also for a wrong `sig` (security line 56).
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
