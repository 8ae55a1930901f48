import {
  MAX_FILE_NAME_LENGTH,
  type ProgramHolder,
  type Result,
  type StoredStatus,
} from "@paraphe/contracts";

/** Fractions of the displayed page, origin top left. */
export type PagePlace = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
/** `coverable`: neither field nor signature, so it may be covered as a last resort. */
type TakenPlace = PagePlace & { readonly coverable?: true };

/** A page as displayed (CropBox, rotation, UserUnit). Units: points; degrees clockwise. */
export type DisplayedPage = {
  readonly width: number;
  readonly height: number;
  readonly rotation: number;
  /** Its own fields, signatures and links; known for the last page. */
  readonly taken?: readonly TakenPlace[];
  readonly fields?: readonly PagePlace[];
  /** Shares of the page covered since the file's first signature. */
  readonly covered?: { readonly added: number; readonly filled: number };
};

export type StoredFinding = {
  readonly code: string;
  readonly count?: number;
  readonly tags?: readonly { readonly written: string; readonly near: readonly string[] }[];
};
/** « {{signatur:client}} » (attendu : {{signature:rôle}}). */
export function unreadDetail({ count = 1, tags = [] }: Omit<StoredFinding, "code">): string {
  const named = tags.map(({ written, near }) => {
    const expected = near.map((kind) => `{{${kind}:rôle}}`).join(", ");
    return `«\u00a0${written}\u00a0» (attendu\u00a0: ${expected})`;
  });
  const which =
    count > 1
      ? `${count} balises de texte ne sont pas reconnues et restent telles quelles`
      : "Une balise de texte n’est pas reconnue et reste telle quelle";
  return `${which}\u00a0: ${named.join("\u202f; ")}${count > tags.length ? "\u202f; …" : "."}`;
}

/** `fixable`: its owner must accept a normalised copy before sending. */
export type DocumentControl = {
  readonly result: "ok" | "fixable";
  readonly findings: readonly StoredFinding[];
};

/**
 * `original`: the upload or its accepted copy; `prepared`: with every field; `signed`: one
 * signature more; `completed`: with the evidence of all.
 */
export type RevisionKind = "original" | "prepared" | "signed" | "completed";

export type Revision = {
  readonly number: number;
  readonly kind: RevisionKind;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
};

/** From `prepared` on, each revision's bytes start with the previous one's. */
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

/** A file that passed its checks and is not stored yet. */
export type ReceivedDocument = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly sha256: Uint8Array;
  readonly pageCount: number;
  readonly pages: readonly DisplayedPage[];
  readonly control: DocumentControl;
};

export function isSigned(document: StoredDocument): boolean {
  return document.current.kind === "signed" || document.current.kind === "completed";
}

/** `user` is null with a signature token. */
export type FileRequest = {
  readonly envelopeId: string;
  readonly user: {
    readonly id: string;
    readonly email_key: string;
    readonly recipient_key: string | null;
    readonly teams: readonly { readonly id: string }[];
    readonly holder?: ProgramHolder;
  } | null;
  readonly token: string | null;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** `download`: once its recipient has signed, the token alone is enough (specification §6). */
  readonly purpose: "read" | "download";
};

/** A guest's or recipient's grant ends when the envelope is cancelled, declined or expired. */
export type FileGrant = {
  readonly reader: "owner" | "recipient" | "guest";
  readonly recipientId: string | null;
};

/**
 * Says who may read an envelope's files.
 * Errors: `not_found` for others and a draft's recipient; `otp_required`; 410 once closed.
 */
export type DocumentAccess = (request: FileRequest) => Promise<Result<FileGrant>>;

export type EnvelopeFacts = {
  readonly id: string;
  readonly title: string;
  readonly status: StoredStatus;
  readonly completedAt: Date | null;
  readonly datedAt: Date;
};

const PDF_ENDING = /\.pdf$/i;

/** Gives the name to display: no folder, control or direction character, ≤ 200 characters. */
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

/** A slash becomes a hyphen, not a folder: « Bail 12/2026 ». */
export function renamedFile(name: string): string {
  const typed = name.replace(/[\\/]/gu, "-");
  return cleanFileName(hasPdfEnding(typed) ? typed : `${typed.trim()}.pdf`);
}

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

/** Gives lower-case ASCII with single hyphens (specification §7, 'Download file names'). */
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

export function downloadName({ title, signed, ending }: DownloadName): string {
  return `${slugify(title)}${signed ? "_signe" : ""}.${ending}`;
}

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

type ByteRange = { readonly start: number; readonly end: number };

/**
 * Null for the whole file, `unsatisfiable` when it starts past the end.
 * Source: RFC 9110 §14.2.
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

/**
 * Our PDF field names start with the envelope's id, so that they differ from the file's own. It has
 * no '.', which separates levels.
 */
export function pdfFieldPrefix(envelopeId: string): string {
  return envelopeId;
}

export function pdfFieldName(fieldId: string): string {
  return fieldId;
}
