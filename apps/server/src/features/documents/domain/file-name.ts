import { MAX_FILE_NAME_LENGTH } from "@paraphe/contracts";

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
