import type { Result, StoredStatus } from "@paraphe/contracts";

/** In fractions of the displayed page, origin top left. */
export type PagePlace = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
/** `coverable`: neither a field nor a signature; one may be put over it when no other place is left. */
type TakenPlace = PagePlace & { readonly coverable?: true };

/** A page as it is displayed: CropBox, rotation and UserUnit applied. Units: points; degrees clockwise. */
export type DisplayedPage = {
  readonly width: number;
  readonly height: number;
  readonly rotation: number;
  /** Where the uploaded file's own fields, signatures and links are; known of the last page. */
  readonly taken?: readonly TakenPlace[];
  /** Where its own form's fields, and the signatures it bears, are. */
  readonly fields?: readonly PagePlace[];
  /** What was placed there, or filled, since the file's first signature: parts of the page. */
  readonly covered?: { readonly added: number; readonly filled: number };
};

export type StoredFinding = { readonly code: string; readonly count?: number };
/** What the document control found. `fixable`: its owner must accept a normalised copy before it can be sent. */
export type DocumentControl = {
  readonly result: "ok" | "fixable";
  readonly findings: readonly StoredFinding[];
};

/** `original`: what was uploaded, or its accepted normalised copy; `prepared`: with every field of every recipient; `signed`: one more signature; `completed`: with the evidence of all of them. */
export type RevisionKind = "original" | "prepared" | "signed" | "completed";

/** One state of a document's bytes. `sha256` names the stored file; number 0 is the original. */
export type Revision = {
  readonly number: number;
  readonly kind: RevisionKind;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
};

/** One PDF of an envelope. Each revision's bytes are a prefix of the next one's, from `prepared` on. */
export type StoredDocument = {
  readonly id: string;
  readonly envelopeId: string;
  readonly position: number;
  readonly name: string;
  readonly pageCount: number;
  readonly pages: readonly DisplayedPage[];
  readonly control: DocumentControl;
  readonly normalisedAccepted: boolean;
  readonly uploadedSha256: Uint8Array;
  readonly uploadedSizeBytes: number;
  readonly original: Revision;
  readonly current: Revision;
};

/** An uploaded PDF that passed the control; not stored yet. `bytes` are what will be original: the upload itself. */
export type ReceivedDocument = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly sha256: Uint8Array;
  readonly pageCount: number;
  readonly pages: readonly DisplayedPage[];
  readonly control: DocumentControl;
};

/** Says whether the document's current bytes carry a signature made here. */
export function isSigned(document: StoredDocument): boolean {
  return document.current.kind === "signed" || document.current.kind === "completed";
}

/** Who asks for an envelope's files, as the request says. A call with a signature token relies on it alone: `user` is then null. */
export type FileRequest = {
  readonly envelopeId: string;
  /** The signed-in user, or null. */
  readonly user: {
    readonly id: string;
    readonly email_key: string;
    readonly recipient_key: string | null;
  } | null;
  /** From `X-Signature-Token`, or from `?token=`; null when there is none. */
  readonly token: string | null;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** `download` is a way to the signed file: once its recipient has signed, the token alone is enough (specification §6). */
  readonly purpose: "read" | "download";
};

/** Who was recognised. A guest's grant ends with the envelope: its links die when it is cancelled, declined or expired. */
export type FileGrant = {
  readonly reader: "owner" | "recipient" | "guest";
  readonly recipientId: string | null;
};

/**
 * Decides who may read an envelope's files.
 * Errors: `not_found` for a stranger, a wrong token, a draft seen by a recipient; `otp_required`; 410 for the right token of a closed envelope.
 */
export type DocumentAccess = (request: FileRequest) => Promise<Result<FileGrant>>;

/** What the routes need to know of the envelope itself. */
export type EnvelopeFacts = {
  readonly id: string;
  readonly title: string;
  readonly status: StoredStatus;
};
