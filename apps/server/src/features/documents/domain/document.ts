import { MAX_FILE_NAME_LENGTH, type Result, type StoredStatus } from "@paraphe/contracts";

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

const PDF_ENDING = /\.pdf$/i;

/**
 * Gives the name a person sees of an uploaded file: no folder, no control or direction character, composed accents, at most 200 characters, its ending kept.
 */
export function cleanFileName(name: string): string {
  const line = name
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/^.*[\\/]/u, "")
    .trim();
  const stem = line.replace(PDF_ENDING, "");
  const ending = line.slice(stem.length);
  const short = Array.from(stem)
    .slice(0, MAX_FILE_NAME_LENGTH - ending.length)
    .join("")
    .trim();
  return `${short === "" ? "document" : short}${ending}`;
}

/**
 * Gives the name a person has given a file: clean, and with the ending that its readers' machines go by. A slash a person types is no folder
 * (« Bail 12/2026 »): a hyphen stands for it.
 */
export function renamedFile(name: string): string {
  const typed = name.replace(/[\\/]/gu, "-");
  return cleanFileName(hasPdfEnding(typed) ? typed : `${typed.trim()}.pdf`);
}

/** Says whether a name ends in `.pdf`, whatever the case (specification §5). */
export function hasPdfEnding(name: string): boolean {
  return PDF_ENDING.test(name.trim());
}

const LIGATURES: Readonly<Record<string, string>> = {
  œ: "oe",
  æ: "ae",
  ß: "ss",
  ø: "o",
  đ: "d",
  ł: "l",
  ð: "d",
  þ: "th",
  ı: "i",
};

/** Gives a title as a strict lower-case slug: ASCII letters, digits and single hyphens (specification §7, 'Download file names'). */
export function slugify(title: string): string {
  const slug = title
    .toLowerCase()
    .replace(/[œæßøđłðþı]/gu, (letter) => LIGATURES[letter] ?? letter)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/['’]/gu, "")
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^-+|-+$/gu, "")
    .slice(0, 120)
    .replace(/-+$/u, "");
  return slug === "" ? "document" : slug;
}

type DownloadName = {
  readonly title: string;
  readonly signed: boolean;
  readonly ending: "pdf" | "zip";
};

/** Gives the name of a downloaded file: `{slug}.pdf`, `{slug}_signe.pdf` once signed, `.zip` when the envelope holds several. */
export function downloadName({ title, signed, ending }: DownloadName): string {
  return `${slugify(title)}${signed ? "_signe" : ""}.${ending}`;
}

/** Gives one name per document for an archive: slugs, distinct, relative, in order. */
export function archiveNames(
  documents: readonly { readonly name: string; readonly signed: boolean }[],
): string[] {
  const taken = new Set<string>();
  return documents.map(({ name, signed }) => {
    const stem = `${slugify(name.replace(PDF_ENDING, ""))}${signed ? "_signe" : ""}`;
    let candidate = `${stem}.pdf`;
    for (let copy = 2; taken.has(candidate); copy++) candidate = `${stem}-${copy}.pdf`;
    taken.add(candidate);
    return candidate;
  });
}

/** Bytes `[start, end]`, inclusive. */
type ByteRange = { readonly start: number; readonly end: number };

/**
 * Reads a `Range` header against a size: null when the whole file is to be sent (absent, several ranges, another unit), `unsatisfiable` when it starts past the end.
 * Source: RFC 9110 §14.2: a server may ignore a Range it does not like.
 */
export function parseByteRange(
  header: string | undefined,
  size: number,
): ByteRange | null | "unsatisfiable" {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "");
  if (!match) return null;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return null;
  if (first === "") return suffixRange(Number(last), size);
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return null;
  return start >= size ? "unsatisfiable" : { start, end };
}

function suffixRange(length: number, size: number): ByteRange | "unsatisfiable" {
  return length === 0 || size === 0
    ? "unsatisfiable"
    : { start: Math.max(0, size - length), end: size - 1 };
}
